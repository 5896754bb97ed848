import type { Command } from 'commander'
import {
  pageActiveAttacks,
  pageAttacks,
  pageCompletedAttacks,
  rangeAttacks,
} from '../../../shared/api/attacks.ts'
import type { ApiClient } from '../../../shared/api/client.ts'
import { pageSizeLimit } from '../../../shared/api/page.ts'
import type { Attack } from '../../../shared/api/records.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { isOver } from '../../../shared/attack-words.ts'
import { count } from '../output/count.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { paintStage } from '../output/stage-colour.ts'
import { formatTable } from '../output/table.ts'
import { readMoment } from './moment.ts'

const heading = ['ID', 'ATTACK', 'STAGE', 'TARGETS', 'STARTED', 'BY']

/** What the controller looks for itself; the flags are named as in its interface. */
const filters = ['source', 'type', 'stage', 'user', 'host', 'text'] as const

interface ListOptions extends Partial<Record<(typeof filters)[number], string>> {
  readonly active?: boolean
  readonly completed?: boolean
  readonly since?: string
  readonly until?: string
  readonly limit: string
}

/** `temblor attack list`. */
export function registerAttackList(attack: Command, io: CliIo): void {
  attack
    .command('list')
    .description('The attacks of the team, the newest first.')
    .option('--active', 'only those that are not over')
    .option('--completed', 'only those that are over')
    .option('--since <time>', 'only those created since: 30m, 1h, 2d, or an ISO 8601 time')
    .option('--until <time>', 'only those created before')
    .option('--source <source>', 'only Adhoc or Scenario')
    .option('--type <type>', 'only those of this type')
    .option('--stage <stages>', 'only those in this stage, or in one of several: Running,Failed')
    .option('--user <email>', 'only those that this user started')
    .option('--host <identifier>', 'only those with this host among their targets')
    .option('--text <text>', 'only those with this text in a host, container, user, argument or id')
    .option('--limit <n>', 'how many to show', '20')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  temblor attack list --active --since 1h\n' +
        '  temblor attack list --type latency --host web-1 --stage Failed,ClientAborted',
    )
    .action(async (options: ListOptions) => {
      const limit = readLimit(options.limit)
      const ask = pageReader(options)
      const { api } = signedInClient(io.env)
      const attacks = await readAttacks(limit, (token) => ask(api, limit, token), options)
      printResult(io, attacks, () =>
        attacks.length === 0 ? 'There is no such attack.' : attackTable(attacks, io),
      )
    })
}

/** A table of attacks, one a line. */
export function attackTable(attacks: readonly Attack[], io: CliIo): string[] {
  const rows = attacks.map((one) => [
    one.guid,
    [one.command_type, ...one.args].join(' '),
    paintStage(io, one.stage),
    targetsOf(one),
    one.created_at,
    one.create_user,
  ])
  return formatTable([heading, ...rows])
}

function targetsOf({ targets, target_containers: containers }: Attack): string {
  const hit = Object.values(containers).flat().length
  const names = targets.join(',').slice(0, 40)
  return hit > 0 ? `${count(hit, 'container')} on ${names}` : names
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new CliError(
    `--limit cannot be "${text}". Allowed: a whole number from 1.`,
    exitCodes.usage,
  )
}

type Page = { readonly items: Attack[]; readonly pageToken: string | null }
type PageReader = (api: ApiClient, limit: number, pageToken?: string) => Promise<Page>

/** How the pages are asked for. @throws CliError for a time that cannot be read, and contradictions */
function pageReader(options: ListOptions): PageReader {
  const { active, completed, since, until } = options
  if (active && completed)
    throw new CliError('--active cannot stand with --completed.', exitCodes.usage)
  const more = Object.fromEntries(
    filters.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  )
  const query = (limit: number, pageToken?: string) => ({
    ...more,
    pageSize: String(Math.min(limit, pageSizeLimit)),
    ...(pageToken === undefined ? {} : { pageToken }),
  })
  if (since !== undefined || until !== undefined) {
    const now = Date.now()
    const times = {
      ...(since === undefined ? {} : { startTime: readMoment('--since', since, now) }),
      ...(until === undefined ? {} : { endTime: readMoment('--until', until, now) }),
    }
    return (api, limit, token) =>
      api.call(rangeAttacks, { query: { ...query(limit, token), ...times } })
  }
  const route = active ? pageActiveAttacks : completed ? pageCompletedAttacks : pageAttacks
  return (api, limit, token) => api.call(route, { query: query(limit, token) })
}

/** The newest so many; a range may hold more of the other kind, so that pages are read on. */
async function readAttacks(
  limit: number,
  read: (pageToken?: string) => Promise<Page>,
  { active, completed }: ListOptions,
): Promise<Attack[]> {
  const attacks: Attack[] = []
  let token: string | undefined
  do {
    const page = await read(token)
    const wanted = page.items.filter((one) => (active ? !isOver(one) : !completed || isOver(one)))
    attacks.push(...wanted)
    token = page.pageToken ?? undefined
  } while (token !== undefined && attacks.length < limit)
  return attacks.slice(0, limit)
}
