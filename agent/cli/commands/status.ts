import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { connectToAgent } from '../../control/client.ts'
import type { AgentStatus } from '../../control/protocol.ts'
import { readCredentials } from '../../identity.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'
import { plainly } from './plain-errors.ts'

/** `temblor status`: whether the agent runs, whether it is connected, and what it runs. */
export function registerStatus(program: Command, io: CliIo): void {
  program
    .command('status')
    .description('Show the agent of this host: running, connected, attacks.')
    .action(() => plainly(() => status(io)))
}

async function status(io: CliIo): Promise<void> {
  const config = readConfig(io.env)
  const agent = await connectToAgent(config)
  if (agent) {
    const seen = await agent.status()
    printResult(io, { agentRunning: true, ...seen }, () => statusLines(seen))
    return
  }
  const { teamId = null, address = null } = readCredentials(config.stateDir) ?? {}
  const { identifier, stateDir } = config
  printResult(io, { agentRunning: false, identifier, stateDir, teamId, address }, () => [
    'The agent is not running.',
    teamId
      ? `This host has joined team ${teamId} at ${address}. Start its agent with: temblor agent run`
      : 'This host has not joined a team (temblor init). Local attacks need none.',
  ])
}

function statusLines(seen: AgentStatus): string[] {
  const { controller } = seen
  const link = controller
    ? `${controller.connected ? 'connected to' : 'NOT connected to'} ${controller.address}`
    : 'not joined yet'
  const rows = seen.running.map((one) => [
    one.executionId,
    one.attackType,
    one.container ?? 'this host',
    one.stage,
    one.secondsLeft === null ? '-' : `${one.secondsLeft} s`,
  ])
  return [
    `Agent "${seen.identifier}" (process ${seen.pid}, version ${seen.version}): ${link}.`,
    ...(controller?.problem ? [`  ${controller.problem}`] : []),
    ...seen.problems.map((problem) => `  ${problem}`),
    `${seen.containers} containers, ${seen.running.length} attacks running.`,
    ...(rows.length > 0
      ? formatTable([['EXECUTION', 'ATTACK', 'TARGET', 'STAGE', 'LEFT'], ...rows])
      : []),
  ]
}
