import type { Command } from 'commander'
import { listActiveAttacks } from '../../../shared/api/attacks.ts'
import type { ApiClient } from '../../../shared/api/client.ts'
import { haltAllAttacksWithReason, haltAttackWithReason } from '../../../shared/api/halts.ts'
import type { Attack } from '../../../shared/api/records.ts'
import { readSelf } from '../../../shared/api/sessions.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { isOver } from '../../../shared/attack-words.ts'
import { canAsk, confirm } from '../output/confirm.ts'
import { count } from '../output/count.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { attackTable } from './attack-list.ts'

interface HaltOptions {
  readonly all?: boolean
  readonly yes?: boolean
  readonly reason?: string
  readonly reference?: string
}

/** `temblor attack halt <id…>` and `temblor attack halt --all`. */
export function registerAttackHalt(attack: Command, io: CliIo): void {
  attack
    .command('halt [id...]')
    .description('Halt attacks: every target is reverted.')
    .option('--all', 'everything that runs: of the team, or of the company for who may')
    .option('--reason <text>', 'why, for the records')
    .option('--reference <text>', 'where to read more, for example the address of a ticket')
    .option('--yes', 'do not ask, on a terminal either')
    .addHelpText('after', '\nExample:\n  temblor attack halt --all --reason "checkout is down"')
    .action(async (ids: string[], options: HaltOptions) => {
      if (ids.length > 0 === Boolean(options.all))
        throw new CliError('Say what is halted: ids, or --all.', exitCodes.usage)
      const { api } = signedInClient(io.env)
      await (options.all ? haltAll(api, io, options) : haltEach(api, io, ids, options))
    })
}

/** One that cannot be halted does not keep the others running. */
async function haltEach(
  api: ApiClient,
  io: CliIo,
  ids: readonly string[],
  options: HaltOptions,
): Promise<void> {
  const asked = await Promise.allSettled(
    ids.map((guid) => api.call(haltAttackWithReason, { params: { guid }, body: bodyOf(options) })),
  )
  const failed = asked.filter((one) => one.status === 'rejected').map((one) => one.reason as Error)
  const answered = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (answered.length > 0) printHalted(io, answered)
  const [first] = failed
  if (!first) return
  // A single cause speaks for itself: it has its own exit code.
  if (failed.length === asked.length || !failed.every((one) => one instanceof ApiError)) throw first
  throw new CliError(failed.map((one) => one.message).join('\n'))
}

async function haltAll(api: ApiClient, io: CliIo, options: HaltOptions): Promise<void> {
  if (canAsk(io) && !options.yes) await confirmAll(api, io)
  const halted = await api.call(haltAllAttacksWithReason, { body: bodyOf(options) })
  printHalted(io, halted)
}

async function confirmAll(api: ApiClient, io: CliIo): Promise<void> {
  const [self, active] = [await api.call(readSelf), await api.call(listActiveAttacks)]
  const isWide = self.privileges.includes('HALT_ALL')
  if (active.length > 0) io.say(attackTable(active, io).join('\n'))
  const hosts = new Set(active.flatMap((one) => one.targets)).size
  const others = isWide ? `, and all that run in other teams of ${self.company_name}` : ''
  const what = `${count(active.length, 'attack')} of team ${self.org_name} on ${count(hosts, 'host')}${others}`
  await confirm(io, false, `This halts ${what}. Go on?`)
}

function bodyOf({ reason, reference }: HaltOptions): { reason?: string; reference?: string } {
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(reference === undefined ? {} : { reference }),
  }
}

function printHalted(io: CliIo, attacks: readonly Attack[]): void {
  printResult(io, attacks, () => {
    if (attacks.length === 0) return 'Nothing was running.'
    return attacks.map((one) =>
      isOver(one)
        ? `Attack ${one.guid} is over: ${one.stage}.`
        : `Attack ${one.guid} is being halted (${one.stage}). See: temblor attack watch ${one.guid}`,
    )
  })
}
