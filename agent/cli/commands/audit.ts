import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { type AuditEntry, exportAudit, listAudit } from '../../../shared/api/audit.ts'
import { pageSizeLimit } from '../../../shared/api/page.ts'
import type { AnswerOf } from '../../../shared/api/route.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'
import { readMoment } from './moment.ts'

interface PeriodOptions {
  readonly since?: string
  readonly until?: string
}

interface ListOptions extends PeriodOptions {
  readonly action?: string
  readonly actor?: string
  readonly limit: string
}

/** `temblor audit …`: who did what in the company. */
export function registerAudit(program: Command, io: CliIo): void {
  const audit = program.command('audit').description('Who did what in the company, and from where.')
  audit
    .command('list')
    .description('The newest entries: who did what to what, from where, with which result.')
    .option('--since <time>', 'only those since: 30m, 1h, 2d, or an ISO 8601 time')
    .option('--until <time>', 'only those before')
    .option('--action <action>', 'only this one, or user. for all of a kind')
    .option('--actor <name>', 'only of this user or host')
    .option('--limit <n>', 'how many to show', '50')
    .addHelpText('after', '\nExample:\n  temblor audit list --since 1h --action session.')
    .action(async (options: ListOptions) => {
      const entries = await readEntries(io, options)
      printResult(io, entries, () =>
        entries.length === 0 ? 'There is no such entry.' : table(entries),
      )
    })
  audit
    .command('export')
    .description('All entries as JSON lines, the oldest first, to stdout or a file.')
    .option('--since <time>', 'only those since: 30m, 1h, 2d, or an ISO 8601 time')
    .option('--until <time>', 'only those before')
    .option('--output <file>', 'a file that is not there yet, in place of stdout')
    .addHelpText(
      'after',
      "\nOn the controller's host, temblor admin audit verify --file <file> checks it.",
    )
    .action(async (options: PeriodOptions & { output?: string }) => {
      const { api } = signedInClient(io.env)
      const response = await api.open(exportAudit, { query: periodOf(options) })
      if (options.output === undefined) return await printLines(io, response)
      const file = createWriteStream(options.output, { flags: 'wx', mode: 0o600 })
      await pipeline(Readable.fromWeb(response.body as never), file)
      printResult(io, { file: options.output }, () => `Written: ${options.output}`)
    })
}

function periodOf({ since, until }: PeriodOptions): { start?: string; end?: string } {
  const now = Date.now()
  return {
    ...(since === undefined ? {} : { start: readMoment('--since', since, now) }),
    ...(until === undefined ? {} : { end: readMoment('--until', until, now) }),
  }
}

async function readEntries(io: CliIo, options: ListOptions): Promise<AuditEntry[]> {
  if (!/^[1-9]\d{0,5}$/.test(options.limit))
    throw new CliError(
      `--limit cannot be "${options.limit}". Allowed: a whole number from 1.`,
      exitCodes.usage,
    )
  const limit = Number(options.limit)
  const { action, actor } = options
  const query = {
    ...periodOf(options),
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : { actor }),
    pageSize: String(Math.min(limit, pageSizeLimit)),
  }
  const { api } = signedInClient(io.env)
  const entries: AuditEntry[] = []
  let more: { pageToken?: string } | undefined = {}
  while (more && entries.length < limit) {
    const page: AnswerOf<typeof listAudit> = await api.call(listAudit, {
      query: { ...query, ...more },
    })
    entries.push(...page.items)
    more = page.pageToken === null ? undefined : { pageToken: page.pageToken }
  }
  return entries.slice(0, limit)
}

/** Lines as they come: an export may be longer than the memory is. */
async function printLines(io: CliIo, response: Response): Promise<void> {
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) io.print(lines.join('\n'))
  }
  if (rest !== '') throw new CliError('The export ended within an entry. Try again.')
}

function table(entries: readonly AuditEntry[]): string[] {
  return formatTable([
    ['TIME', 'WHO', 'FROM', 'ACTION', 'RESULT', 'WHAT'],
    ...entries.map((entry) => [
      entry.time,
      entry.actor.kind === 'user' ? entry.actor.name : `${entry.actor.name} (${entry.actor.kind})`,
      entry.from ?? '-',
      entry.action,
      entry.code === null ? entry.result : `${entry.result}: ${entry.code}`,
      [entry.target?.name ?? '', shortDetail(entry)].filter(Boolean).join(' '),
    ]),
  ])
}

/** Of a change what was and what is; the rest is in --json. */
function shortDetail({ detail }: AuditEntry): string {
  const { old, new: now, times } = detail
  if (typeof times === 'number') return `${times} times`
  return now === undefined ? '' : `${JSON.stringify(old)} → ${JSON.stringify(now)}`
}
