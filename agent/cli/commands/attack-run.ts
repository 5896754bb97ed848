import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import { type CreateAttackBody, createAttack } from '../../../shared/api/attacks.ts'
import { haltAttack } from '../../../shared/api/halts.ts'
import type { ApiClient } from '../../../shared/api/client.ts'
import { allowedValues, paramSpecs, parseArgs } from '../../../shared/attacks/args.ts'
import type { AttackType } from '../../../shared/attacks/define.ts'
import { attackTypeNames, findAttackType } from '../../../shared/attacks/index.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { followAttack, reportEnd } from './attack-watch.ts'

/** How people say who is hit. */
interface TargetOptions {
  readonly random?: boolean
  readonly target?: readonly string[]
  readonly tag?: readonly string[]
  readonly label?: readonly string[]
}

/** `temblor attack run <type>`: one command for each type of the catalogue. */
export function registerAttackRun(attack: Command, io: CliIo): void {
  const run = attack.command('run').description('Run an attack through the controller.')
  for (const name of attackTypeNames) {
    const type = findAttackType(name) as AttackType
    const command = run.command(type.type).description(type.summary)
    addTypeOptions(command, type)
    command
      .option('--random', 'one host of the team, drawn at random')
      .option('--target <host...>', 'these hosts, all of which must be there')
      .option('--tag <key=value...>', 'a random host that carries all of these tags')
      .option('--label <key=value...>', 'the containers there that carry all of these labels')
      .option('--detach', 'print the id and do not wait for the end')
      .action((options: TargetOptions & { detach?: boolean }) =>
        runAttack(type, readTypeArgs(command, type), options, io),
      )
  }
}

/** Adds the flags of an attack type, with unit, limits and default, to a command. */
function addTypeOptions(command: Command, type: AttackType): void {
  for (const spec of paramSpecs(type)) {
    const { flag, schema } = spec
    const isSwitch = schema.type === 'boolean'
    const value = isSwitch ? '' : ` <${schema.unit ?? 'n'}>`
    const limits = isSwitch ? '' : ` (${allowedValues(spec)}; default ${String(schema.default)})`
    const option = new Option(
      `-${flag.short}, --${flag.long}${value}`,
      `${schema.description ?? ''}${limits}`,
    )
    // Kept as typed: the one codec checks them, so that CLI and API say the same.
    if (!isSwitch) option.argParser((text: string, before?: string[]) => [...(before ?? []), text])
    command.addOption(option)
  }
}

/**
 * The flags of the type that were given, as arguments for the API.
 * @throws ArgsError when one cannot be meant
 */
function readTypeArgs(command: Command, type: AttackType): string[] {
  const given = command.opts<Record<string, boolean | string[] | undefined>>()
  const args = paramSpecs(type).flatMap(({ flag }) => {
    const name = command.options.find((option) => option.long === `--${flag.long}`)?.attributeName()
    const value = name === undefined ? undefined : given[name]
    if (value === undefined) return []
    if (typeof value === 'boolean') return value ? [`--${flag.long}`] : []
    return value.flatMap((text) => [`--${flag.long}`, text])
  })
  parseArgs(type, args)
  return args
}

/** The target of the request. @throws CliError when nobody, or two different things, are named */
function readTarget(options: TargetOptions): Pick<CreateAttackBody, 'target' | 'labels'> {
  const labels = readPairs('--label', options.label)
  const narrowed = Object.keys(labels).length > 0 ? { labels } : {}
  const isRandom = Boolean(options.random) || Boolean(options.tag)
  if (options.target && isRandom)
    throw new CliError('--target cannot stand with --random or --tag.', exitCodes.usage)
  if (options.target) return { target: { type: 'Exact', exact: [...options.target] }, ...narrowed }
  if (!isRandom)
    throw new CliError(
      'Say who is hit: --random, --tag key=value or --target host.',
      exitCodes.usage,
    )
  const tags = readPairs('--tag', options.tag)
  return { target: { type: 'Random', ...(options.tag ? { tags } : {}) }, ...narrowed }
}

function readPairs(option: string, pairs: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1)
        throw new CliError(`${option} cannot be "${pair}". Write it as key=value.`, exitCodes.usage)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

async function runAttack(
  type: AttackType,
  args: string[],
  options: TargetOptions & { detach?: boolean },
  io: CliIo,
): Promise<void> {
  const body = { command: { type: type.type, args }, ...readTarget(options) }
  const { api } = signedInClient(io.env)
  const id = await api.call(createAttack, { body })
  if (options.detach) {
    printResult(io, { guid: id }, () => id)
    return
  }
  io.say(`attack ${id}`)
  const interrupt = new AbortController()
  const onInterrupt = () => interrupt.abort()
  // Until the end: a signal that comes twice must not cut off the halt that the first one asked for.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onInterrupt)
  try {
    const view = await followAttack(api, io, id, interrupt.signal)
    if (view) reportEnd(io, view)
    else await endInterrupted(api, io, id)
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onInterrupt)
  }
}

/** A cancelled job must not leave a fault running; a person at a terminal is asked. */
async function endInterrupted(api: ApiClient, io: CliIo, id: string): Promise<never> {
  if (io.isTerminal && io.stdin.isTTY && !(await confirmed(io, 'Halt the attack?')))
    throw new CliError(`It goes on. To halt it: temblor attack halt ${id}`, exitCodes.interrupted)
  await api.call(haltAttack, { params: { guid: id } })
  throw new CliError(`Interrupted: attack ${id} is being halted.`, exitCodes.interrupted)
}

async function confirmed(io: CliIo, question: string): Promise<boolean> {
  const reader = createInterface({ input: io.stdin, output: process.stderr })
  try {
    const answer = await reader.question(`\n${question} [Y/n] `)
    return !/^n/i.test(answer.trim())
  } catch {
    return true
  } finally {
    reader.close()
  }
}
