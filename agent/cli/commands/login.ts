import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import type { Command } from 'commander'
import { createApiClient } from '../../../shared/api/client.ts'
import { login, sessionsOf, type Session } from '../../../shared/api/sessions.ts'
import { apiBaseUrl, readCredentials, userAgent, writeCredentials } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { toCredentials } from '../stored-session.ts'

interface LoginOptions {
  readonly url?: string
  readonly email?: string
  readonly company?: string
  readonly team?: string
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
    .addHelpText('after', '\nThe password is read from TEMBLOR_PASSWORD, from stdin, or asked for.')
    .action((options: LoginOptions) => runLogin(options, io))
}

async function runLogin(options: LoginOptions, io: CliIo): Promise<void> {
  const known = readCredentials(io.env)
  const baseUrl = apiBaseUrl(
    required(options.url ?? io.env['TEMBLOR_URL'] ?? known?.baseUrl, '--url'),
  )
  const email = required(options.email ?? known?.email, '--email')
  const password = io.env['TEMBLOR_PASSWORD'] ?? (await readPassword(io, email))
  const answer = await createApiClient({ baseUrl, userAgent }).call(login, {
    body: { email, password, ...(options.company ? { companyName: options.company } : {}) },
  })
  const session = chooseSession(sessionsOf(answer), options.team)
  const team = { id: session.org_id, name: session.org_name }
  const file = writeCredentials(io.env, toCredentials(baseUrl, session))
  const facts = { email, company: session.company_name, team, expires_at: session.expires_at }
  printResult(
    io,
    facts,
    () => `Signed in as ${email}, team ${team.name} of ${session.company_name}.`,
  )
  io.say(`The session is kept in ${file} until ${session.expires_at}; commands renew it.`)
}

function required(value: string | undefined, option: string): string {
  if (!value) throw new CliError(`${option} is missing.`, exitCodes.usage)
  return value
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

async function readPassword(io: CliIo, email: string): Promise<string> {
  const isTyped = isatty(0)
  if (isTyped) io.draw(`Password of ${email}: `)
  // On a terminal nothing is echoed: what is read is written to nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: io.stdin, output: nowhere, terminal: isTyped })
  try {
    const line = await new Promise<string | undefined>((resolve, reject) => {
      reader.once('line', resolve)
      reader.once('close', () => resolve(undefined))
      reader.once('SIGINT', () => reject(new CliError('Interrupted.', exitCodes.interrupted)))
    })
    if (!line) throw new CliError('No password was given.', exitCodes.usage)
    return line
  } finally {
    if (isTyped) io.draw('\n')
    reader.close()
  }
}
