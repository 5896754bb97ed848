import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { haltAttack } from '../../../shared/api/halts.ts'
import type { ApiClient } from '../../../shared/api/client.ts'
import type { AttackType } from '../../../shared/attacks/define.ts'
import { attackTypeNames, findAttackType } from '../../../shared/attacks/index.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import { ask, canAsk } from '../output/confirm.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { createOrGiveUp } from './attack-create.ts'
import { confirmAttack, showPreview } from './attack-preview.ts'
import { addTypeOptions, listHelp, readTypeArgs } from './attack-type-options.ts'
import { reportEnd, watchToEnd } from './attack-watch.ts'
import { withContainerIds } from './container-ids.ts'
import { addTargetOptions, readTarget, type TargetOptions } from './target-options.ts'

interface RunOptions extends TargetOptions {
  readonly preview?: boolean
  readonly yes?: boolean
  readonly wait?: boolean
  readonly detach?: boolean
  readonly idempotencyKey?: string
}

/** `temblor attack run <type>` and `temblor attack preview <type>`, from the catalogue. */
export function registerAttackRun(attack: Command, io: CliIo): void {
  const run = attack.command('run').description('Run an attack through the controller.')
  const preview = attack
    .command('preview')
    .description('Who would be hit by an attack, who not and why. Touches nothing.')
  for (const name of attackTypeNames) {
    const type = findAttackType(name) as AttackType
    const previewType = typeCommand(preview, type)
    previewType.action((options: TargetOptions) =>
      runAttack(type, readTypeArgs(previewType, type), { ...options, preview: true }, io),
    )
    const runType = typeCommand(run, type)
    addRunOptions(runType).action((options: RunOptions) =>
      runAttack(type, readTypeArgs(runType, type), options, io),
    )
  }
}

function typeCommand(parent: Command, type: AttackType): Command {
  const command = parent.command(type.type).description(type.summary)
  addTypeOptions(command, type)
  addTargetOptions(command)
  const length = type.params['lengthSeconds'] ? ' --length 30' : ''
  const line = `temblor attack ${parent.name()} ${type.type}${length}`
  const lines = [
    ...listHelp(type),
    '',
    'Examples:',
    `  ${line} --target web-1                      # this host itself`,
    `  ${line} --tag zone=eu-1 --label app=web     # the containers there`,
    `  ${line} --label app=web --count 2           # two of them, anywhere`,
  ]
  return command.addHelpText('after', lines.join('\n'))
}

function addRunOptions(command: Command): Command {
  return command
    .option('--preview', 'only say who would be hit: 0 all, 6 some could not, 3 it would not start')
    .option('--yes', 'do not ask, on a terminal either')
    .option('--wait', 'follow it to its end; the exit code says how it ended (the default)')
    .addOption(new Option('--detach', 'print the id and do not wait for the end').conflicts('wait'))
    .option('--idempotency-key <key>', 'with the same key and request, nothing is run twice (24 h)')
}

async function runAttack(
  type: AttackType,
  args: string[],
  options: RunOptions,
  io: CliIo,
): Promise<void> {
  const asked = readTarget(options)
  const { api } = signedInClient(io.env)
  const body = { command: { type: type.type, args }, ...(await withContainerIds(api, asked)) }
  if (options.preview) return await showPreview(api, io, body)
  await confirmAttack(api, io, body, options.yes ?? false)
  // From before it is asked for: what was sent may run, whether its answer is awaited or not.
  await interruptible(async (signal) => {
    const key = options.idempotencyKey ?? randomUUID()
    const id = await createOrGiveUp(api, io, { body, key }, signal)
    if (signal.aborted) return await endInterrupted(api, io, id)
    if (options.detach) return printResult(io, { guid: id }, () => id)
    io.say(`attack ${id}`)
    const view = await watchToEnd(api, io, id, signal)
    if (view) reportEnd(io, view)
    else await endInterrupted(api, io, id)
  })
}

/** A cancelled job must not leave a fault running; a person at a terminal is asked. */
async function endInterrupted(api: ApiClient, io: CliIo, id: string): Promise<never> {
  if (canAsk(io) && !(await ask(io, '\nHalt the attack?', true).catch(() => true)))
    throw new CliError(`It goes on. To halt it: temblor attack halt ${id}`, exitCodes.interrupted)
  await api.call(haltAttack, { params: { guid: id } })
  throw new CliError(`Interrupted: attack ${id} is being halted.`, exitCodes.interrupted)
}
