import type { Command } from 'commander'
import { parseArgs } from '../../../shared/attacks/args.ts'
import type { AttackType } from '../../../shared/attacks/define.ts'
import { attackTypeNames, findAttackType } from '../../../shared/attacks/index.ts'
import { endReasons } from '../../../shared/stages.ts'
import { readConfig } from '../../config.ts'
import { openLocalHost } from '../../control/client.ts'
import type { LocalAttack, LocalReport } from '../../control/protocol.ts'
import type { ExecutionUpdate } from '../../execution-update.ts'
import { CliError, exitCodes, type ExitCode } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import { formatEffect, remarkOf } from '../../../shared/attack-words.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { createProgress } from '../output/progress.ts'
import { typeFlagHelp } from './attack-type-options.ts'
import { plainly } from './plain-errors.ts'

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `temblor attack <type> …` on this host, and `temblor attack-container <id|name> <type> …`. */
export function registerLocalAttacks(attack: Command, program: Command, io: CliIo): void {
  for (const name of attackTypeNames) {
    const type = findAttackType(name) as AttackType
    takesTypeArgs(attack.command(type.type).description(`${type.summary} On this host.`))
      .addHelpText('after', () => typeFlagHelp(type, io.columns))
      .action((_: unknown, command: Command) => attackLocally(type, command.args, undefined, io))
  }
  takesTypeArgs(
    program
      .command('attack-container')
      .description('Attack a container on this host.')
      .argument('<container>', 'id, start of the id, or name')
      .argument('<type>', attackTypeNames.join(', ')),
  )
    .usage('<container> <type> [flags]')
    .addHelpText('after', () =>
      attackTypeNames
        .map((name) => typeFlagHelp(findAttackType(name) as AttackType, io.columns))
        .join('\n'),
    )
    .action((container: string, typeName: string, _: unknown, command: Command) => {
      const type = findAttackType(typeName)
      if (type) return attackLocally(type, command.args.slice(2), container, io)
      const known = attackTypeNames.join(', ')
      throw new CliError(`There is no attack type "${typeName}". Known: ${known}.`, exitCodes.usage)
    })
}

/** Flags go to the one codec, so that the command line and the API say the same about them. */
function takesTypeArgs(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments().usage('[flags]')
}

async function attackLocally(
  type: AttackType,
  args: readonly string[],
  container: string | undefined,
  io: CliIo,
): Promise<void> {
  const params = parseArgs(type, args)
  const attack = { attackType: type.type, params, ...(container ? { container } : {}) }
  const lengthMs = type.lengthSeconds(params as never) * 1000
  await interruptible(async (signal) => {
    const report = await plainly(() => carryOut(attack, lengthMs, signal, io))
    const code = exitCodeOf(report, signal.aborted)
    printResult(io, resultOf(attack, report), () => describe(attack, report))
    if (code !== exitCodes.ok) throw new CliError(report.message, code)
  }, interrupts)
}

async function carryOut(
  attack: LocalAttack,
  lengthMs: number,
  signal: AbortSignal,
  io: CliIo,
): Promise<LocalReport> {
  const host = await openLocalHost(readConfig(io.env))
  const progress = createProgress(io)
  const name = attack.container ?? 'this host'
  let startedAt: number | undefined
  try {
    const onUpdate = ({ stage, requested, measured, reason }: ExecutionUpdate) => {
      if (stage === 'Running') startedAt ??= performance.now()
      const ranMs = startedAt === undefined ? 0 : performance.now() - startedAt
      const notes = [
        stage === 'Running' ? `${Math.max(0, Math.ceil((lengthMs - ranMs) / 1000))} s left` : '',
        requested ? `asked ${formatEffect(requested)}` : '',
        measured ? `measured ${formatEffect(measured)}` : '',
      ]
      const fraction = reason || lengthMs === 0 ? 1 : ranMs / lengthMs
      progress.update([{ name, stage, fraction, note: notes.filter(Boolean).join(', ') }])
    }
    return await host.attack(attack, onUpdate, signal)
  } finally {
    progress.finish()
    await host.close()
  }
}

function resultOf(attack: LocalAttack, report: LocalReport): Record<string, unknown> {
  return {
    attack_id: report.attackId,
    execution_id: report.executionId,
    command_type: attack.attackType,
    params: attack.params,
    container: attack.container ?? null,
    stage: endReasons[report.reason],
    reason: report.reason,
    output: report.message,
    requested: report.requested ?? null,
    measured: report.measured ?? null,
    backend: report.backend ?? null,
  }
}

function describe(attack: LocalAttack, report: LocalReport): string {
  const where = attack.container ? `container ${attack.container}` : 'this host'
  const stage = endReasons[report.reason]
  const asked = formatEffect(report.requested ?? null)
  const measured = formatEffect(report.measured ?? null)
  const remark = remarkOf({ output: report.message })
  return `${attack.attackType} on ${where}: ${stage}, asked ${asked}, measured ${measured}. ${remark}`.trimEnd()
}

function exitCodeOf({ reason }: LocalReport, interrupted: boolean): ExitCode {
  if (reason === 'completed') return exitCodes.ok
  if (reason === 'halted') return interrupted ? exitCodes.interrupted : exitCodes.haltedBySomeone
  return exitCodes.attackFailed
}
