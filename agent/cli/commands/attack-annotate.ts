import type { Command } from 'commander'
import { annotateAttack } from '../../../shared/api/attacks.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { annotationLines } from '../output/attack-view.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { readPairs, singleValued } from './pairs.ts'

interface AnnotateOptions {
  readonly note?: string
  readonly set?: readonly string[]
  readonly metric?: readonly string[]
}

/** `temblor attack annotate <id>`. */
export function registerAttackAnnotate(attack: Command, io: CliIo): void {
  attack
    .command('annotate <id>')
    .description('Note something on an attack. A part that is not given stays as it is.')
    .option('--note <text>', 'what was seen')
    .option('--set <key=value...>', 'facts, in the place of all there were')
    .option('--metric <key=value...>', 'figures, in the place of all there were')
    .addHelpText('after', '\nExample:\n  temblor attack annotate 5f0c… --note "p99 rose to 2 s"')
    .action(async (id: string, options: AnnotateOptions) => {
      const body = bodyOf(options)
      const { api } = signedInClient(io.env)
      const noted = await api.call(annotateAttack, { params: { guid: id }, body })
      printResult(io, noted, () => [`Noted on attack ${id}.`, ...annotationLines(noted)])
    })
}

function bodyOf({ note, set, metric }: AnnotateOptions) {
  if (note === undefined && !set && !metric)
    throw new CliError('Say what is noted: --note, --set or --metric.', exitCodes.usage)
  return {
    ...(note === undefined ? {} : { notes: note }),
    ...(set ? { otherAnnotations: once('--set', set) } : {}),
    ...(metric ? { metrics: figures(once('--metric', metric)) } : {}),
  }
}

function once(option: string, texts: readonly string[]): Record<string, string> {
  const pairs = singleValued(readPairs(option, texts))
  if (pairs) return pairs
  throw new CliError(`${option} has a key twice. Give each once.`, exitCodes.usage)
}

function figures(pairs: Record<string, string>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pairs).map(([key, text]) => {
      if (text.trim() !== '' && Number.isFinite(Number(text))) return [key, Number(text)]
      throw new CliError(`--metric ${key} cannot be "${text}". Give a number.`, exitCodes.usage)
    }),
  )
}
