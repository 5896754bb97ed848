import type { Command } from 'commander'
import {
  endOtherSessions,
  endSession,
  listSessions,
  type SessionEntry,
} from '../../../shared/api/own-sessions.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { confirm } from '../output/confirm.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'

/** `temblor session …`: where somebody is signed in. */
export function registerSession(program: Command, io: CliIo): void {
  const session = program.command('session').description('Where you are signed in: list, end.')
  session
    .command('list')
    .description('Your sessions in the company that are not over, the newest first.')
    .action(async () => {
      const sessions = await signedInClient(io.env).api.call(listSessions)
      printResult(io, sessions, () => table(sessions))
    })
  session
    .command('end [session]')
    .description('End a session of yours, by its id: whoever has it is turned away from now on.')
    .option('--others', 'all but the one of this command')
    .option('--yes', 'do not ask, on a terminal either')
    .action(async (sessionId: string | undefined, options: { others?: boolean; yes?: boolean }) => {
      if ((sessionId === undefined) === (options.others !== true))
        throw new CliError('Give the id of a session, or --others.', exitCodes.usage)
      const { api } = signedInClient(io.env)
      const what = sessionId === undefined ? 'all your other sessions' : `the session ${sessionId}`
      await confirm(io, options.yes === true, `End ${what}? Whoever has it signs in again.`)
      await (sessionId === undefined
        ? api.call(endOtherSessions)
        : api.call(endSession, { params: { sessionId } }))
      printResult(io, { session: sessionId ?? 'others', ended: true }, () => `Ended: ${what}.`)
    })
}

function table(sessions: readonly SessionEntry[]): string[] {
  return formatTable([
    ['SESSION', 'BEGUN', 'BY', 'FROM', 'WITH', 'LAST USED'],
    ...sessions.map((one) => [
      one.current ? `${one.id} (this one)` : one.id,
      one.created_at ?? 'unknown',
      one.second_factor ? `${one.method} + code` : one.method,
      one.address ?? 'unknown',
      one.user_agent?.slice(0, 40) ?? 'unknown',
      one.last_used_at ?? 'unknown',
    ]),
  ])
}
