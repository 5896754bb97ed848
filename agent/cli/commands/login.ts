import type { Command } from 'commander'
import { createApiClient } from '../../../shared/api/client.ts'
import { sessionsOf, type Session } from '../../../shared/api/sessions.ts'
import { userAgent, writeCredentials } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { toCredentials } from '../stored-session.ts'
import { ownPassword, signInTarget } from './own-password.ts'
import { sayRecoveryCodes, signIn } from './second-factor.ts'

interface LoginOptions {
  readonly url?: string
  readonly email?: string
  readonly company?: string
  readonly team?: string
  readonly code?: string
}

/** `temblor login`. */
export function registerLogin(program: Command, io: CliIo): void {
  program
    .command('login')
    .description('Sign in to a controller; the session is kept for this user.')
    .option('--url <address>', 'address of the controller (or TEMBLOR_URL)')
    .option('--email <email>', 'whom to sign in')
    .option('--company <name>', 'company, when the email address belongs to several')
    .option('--team <name>', 'team to work in, by name or id, when there are several')
    .option('--code <code>', 'code of the authenticator, or a recovery code; asked for when needed')
    .addHelpText('after', '\nThe password is read from TEMBLOR_PASSWORD, from stdin, or asked for.')
    .action((options: LoginOptions) => runLogin(options, io))
}

async function runLogin(options: LoginOptions, io: CliIo): Promise<void> {
  const { baseUrl, email } = signInTarget(io, options)
  const api = createApiClient({ baseUrl, userAgent })
  const password = await ownPassword(io, email)
  const { company, code } = options
  const { answer, recoveryCodes } = await signIn(api, io, { email, password, company, code })
  const session = chooseSession(sessionsOf(answer), options.team)
  const team = { id: session.org_id, name: session.org_name }
  const file = writeCredentials(io.env, toCredentials(baseUrl, session))
  const facts = { email, company: session.company_name, team, expires_at: session.expires_at }
  if (recoveryCodes) sayRecoveryCodes(io, recoveryCodes)
  printResult(
    io,
    recoveryCodes ? { ...facts, recovery_codes: recoveryCodes } : facts,
    () => `Signed in as ${email}, team ${team.name} of ${session.company_name}.`,
  )
  io.say(`The session is kept in ${file} until ${session.expires_at}; commands renew it.`)
}

/** The session of the team that was named; the only one when none was named. */
function chooseSession(sessions: readonly Session[], team: string | undefined): Session {
  const fits = team
    ? sessions.filter((session) => session.org_name === team || session.org_id === team)
    : sessions
  const [only] = fits
  if (only && fits.length === 1) return only
  const names = sessions.map((session) => session.org_name).join(', ')
  throw new CliError(
    team ? `You have no team "${team}". Yours: ${names}.` : `Say which team with --team: ${names}.`,
    exitCodes.usage,
  )
}
