import type { Command } from 'commander'
import type { Verdict } from '../audit/verify.ts'
import {
  exportAudit,
  verifyAudit,
  type ChainOptions,
  type VerifyOptions,
} from './audit-commands.ts'

/** Of `audit verify`: what it looked at is not as it was written. */
export const notIntact = 3

/** `temblor admin audit …`; `exitWith` is told of another exit code than 0. */
export function registerAudit(program: Command, exitWith: (code: number) => void): void {
  const audit = program.command('audit').description('The audit: verify it, or take it out.')
  audit
    .command('verify')
    .description(
      'Tell whether the audit is as it was written: nothing changed, removed or inserted.',
    )
    .option('--company <name>', 'only that of one company; default all there are')
    .option('--installation', 'only that of the installation itself')
    .option('--file <path>', 'an export as JSON lines; no service need run')
    .option('--part', 'the file is a part: do not judge where it begins and ends')
    .option('--log <path...>', 'logs of all controllers; default those of npm start')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 intact, 3 not intact, 1 could not be read, 2 wrong use.' +
        '\nWithout a log that somebody else keeps, a tail that was cut off does not show.',
    )
    .action(async (options: VerifyOptions & { json?: boolean }) => {
      const verdicts = await verifyAudit(options)
      const text = options.json
        ? JSON.stringify(verdicts, null, 2)
        : verdicts.flatMap(told).join('\n')
      process.stdout.write(`${text}\n`)
      if (!verdicts.every(({ intact }) => intact)) exitWith(notIntact)
    })
  audit
    .command('export')
    .description('Print one chain as JSON lines, the oldest entry first.')
    .option('--company <name>', 'that of a company')
    .option('--installation', 'that of the installation: sign-ins of nobody who is known, its keys')
    .action((options: ChainOptions) => exportAudit(options, write))
}

function told({ chain, intact, entries, first, last, heads, findings }: Verdict): string[] {
  const what = entries === 0 ? 'nothing' : `entries ${first} to ${last}, ${heads} heads in the log`
  return [
    `${chain}: ${intact ? 'intact' : 'NOT INTACT'} (${what})`,
    ...findings.map(({ message }) => `  ${message}`),
  ]
}

/** Waits for a slow reader, so that a long chain is not held in memory. */
async function write(text: string): Promise<void> {
  if (process.stdout.write(text)) return
  await new Promise<void>((resolve) => {
    process.stdout.once('drain', resolve)
  })
}
