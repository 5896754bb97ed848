import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { version } from '../../shared/version.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { type ApiClient, type ChangingHeader, createApiClient } from '../../shared/api/client.ts'
import { notSignedIn, storedSession } from './stored-session.ts'

/** What `temblor login` keeps. It holds a session token. */
export interface Credentials {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  /** The whole value of the Authorization header. */
  readonly authorization: string
  readonly email: string
  readonly company: string
  readonly companyId?: string
  readonly team: { readonly id: string; readonly name: string }
  readonly expiresAt: string
  /** Opens the next session, once. */
  readonly renewToken?: string
  /** With it a renewal whose answer was lost can be asked for again. */
  readonly renewalKey?: string
}

export const userAgent = `temblor/${version}`

/** The base URL of the API for what people type: `http://host:8080`, with or without `/v1`. */
export function apiBaseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new CliError(
      `"${text}" is not an address. Give it as http://host:port or https://host.`,
      exitCodes.usage,
    )
  const bare = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  return bare.endsWith('/v1') ? bare : `${bare}/v1`
}

/** A client of the API for whoever is signed in; TEMBLOR_URL with TEMBLOR_TOKEN or TEMBLOR_API_KEY win over the file. */
export function signedInClient(env: NodeJS.ProcessEnv): { api: ApiClient; baseUrl: string } {
  const { baseUrl, authorization } = resolveAccess(env)
  return { api: createApiClient({ baseUrl, authorization, userAgent }), baseUrl }
}

function resolveAccess(env: NodeJS.ProcessEnv): {
  baseUrl: string
  authorization: string | ChangingHeader
} {
  const stored = readCredentials(env)
  const url = env['TEMBLOR_URL'] ? apiBaseUrl(env['TEMBLOR_URL']) : stored?.baseUrl
  const key = env['TEMBLOR_API_KEY']
  const token = env['TEMBLOR_TOKEN'] || (key && `Key ${key}`)
  if (!url) throw notSignedIn('You are not signed in.')
  if (token) return { baseUrl: url, authorization: asHeader(token) }
  if (!stored)
    throw notSignedIn('TEMBLOR_URL is set, but there is neither TEMBLOR_API_KEY nor TEMBLOR_TOKEN.')
  // A token must not go to a server that did not issue it.
  if (stored.baseUrl !== url)
    throw notSignedIn(`You are signed in at ${stored.baseUrl}, not ${url}.`)
  if (Date.parse(stored.expiresAt) < Date.now() && !stored.renewToken)
    throw notSignedIn('Your session has expired.')
  return { baseUrl: url, authorization: keptHeader(env, url) }
}

/** The header of the session that login has kept, renewed when need be. */
export function keptHeader(env: NodeJS.ProcessEnv, baseUrl: string): ChangingHeader {
  return storedSession({
    baseUrl,
    folder: path.dirname(credentialsFile(env)),
    anonymous: createApiClient({ baseUrl, userAgent }),
    read: () => readCredentials(env),
    write: (credentials) => void writeCredentials(env, credentials),
  })
}

function asHeader(token: string): string {
  return /^(Bearer|Key) /.test(token) ? token : `Bearer ${token}`
}

/** Where the credentials are: `~/.config/temblor/credentials.json`. */
export function credentialsFile(env: NodeJS.ProcessEnv): string {
  const config = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] || homedir(), '.config')
  return path.join(config, 'temblor', 'credentials.json')
}

/** The stored credentials, or undefined when nobody signed in. */
export function readCredentials(env: NodeJS.ProcessEnv): Credentials | undefined {
  const file = credentialsFile(env)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CliError(`Cannot read ${file}: ${(error as Error).message}. Sign in again.`)
  }
}

/** Keeps credentials where only this user can read them; the old file is replaced in one step. */
export function writeCredentials(env: NodeJS.ProcessEnv, credentials: Credentials): string {
  const file = credentialsFile(env)
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, file)
  return file
}

/** Forgets the credentials of this user. */
export function removeCredentials(env: NodeJS.ProcessEnv): void {
  rmSync(credentialsFile(env), { force: true })
}
