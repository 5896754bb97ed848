import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { readInstanceId } from '../../identity.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { plainly } from './plain-errors.ts'

/** `temblor init`: makes this host a member of a team. */
export function registerInit(program: Command, io: CliIo): void {
  program
    .command('init')
    .description('Join a team: give the join line in TEMBLOR_JOIN or on stdin.')
    .action(() => plainly(() => init(io)))
}

async function init(io: CliIo): Promise<void> {
  const line = io.env['TEMBLOR_JOIN'] || (await readLine(io))
  const config = readConfig({ ...io.env, TEMBLOR_JOIN: line })
  const { stateDir, identifier } = config
  const { obtainWhenAdmitted } = await import('../../enrol.ts')
  const instanceId = readInstanceId(stateDir)
  const { address, teamId } = await obtainWhenAdmitted(stateDir, instanceId, config.join, (text) =>
    io.say(text),
  ).catch((error: unknown) => {
    throw new CliError(error instanceof Error ? error.message : String(error))
  })
  printResult(io, { identifier, instanceId, teamId, address, stateDir }, () => [
    `This host has joined team ${teamId} at ${address} as "${identifier}".`,
    'Start its agent with: temblor agent run',
  ])
}

/** The join line holds a secret: it is never an argument, which every user of the host could see. */
async function readLine(io: CliIo): Promise<string> {
  if (io.stdin.isTTY) io.say('Paste the join line that the controller printed:')
  for await (const line of createInterface({ input: io.stdin })) if (line.trim()) return line.trim()
  throw new CliError('There is no join line. Give it in TEMBLOR_JOIN or on stdin.', exitCodes.usage)
}
