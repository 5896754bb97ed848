import type { ApiClient } from '../../../shared/api/client.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import {
  enableMfa,
  recoveryCodesIn,
  signInWithCode,
  validateMfa,
  type MfaSecret,
} from '../../../shared/api/mfa.ts'
import { login, type Session } from '../../../shared/api/sessions.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { askLine, canAsk } from '../output/confirm.ts'
import type { CliIo } from '../output/io.ts'

/** How often a code may be mistyped before the command ends; after five wrong ones the user is locked out. */
const triesOnTerminal = 3

interface SignInInput {
  readonly email: string
  readonly password: string
  readonly company: string | undefined
  readonly code: string | undefined
}

interface SignedIn {
  readonly answer: Session | Session[]
  /** When a second factor was set up on the way. */
  readonly recoveryCodes?: readonly string[]
}

/** Signs in with a password, and with whatever the controller asks for besides. @throws ApiError, CliError */
export async function signIn(api: ApiClient, io: CliIo, given: SignInInput): Promise<SignedIn> {
  const { email, password, code } = given
  const companyName = given.company ?? null
  try {
    return { answer: await api.call(login, { body: { email, password, companyName } }) }
  } catch (error) {
    const ticket = ticketOf(error)
    if (ticket === undefined || !(error instanceof ApiError)) throw error
    if (error.code === 'mfa_required')
      return {
        answer: await withCode(io, code, (token) =>
          api.call(signInWithCode, { body: { email, ticket, token, companyName } }),
        ),
      }
    if (!canAsk(io))
      throw new CliError(
        `${email} needs a second factor here: run temblor user mfa enable, then temblor user mfa confirm.`,
        exitCodes.notSignedIn,
      )
    const recoveryCodes = await enrol(api, io, { email, ticket })
    const answer = await api.call(signInWithCode, { body: { email, ticket, companyName } })
    return { answer, recoveryCodes }
  }
}

function ticketOf(error: unknown): string | undefined {
  const ticket = error instanceof ApiError ? error.details?.['ticket'] : undefined
  return typeof ticket === 'string' ? ticket : undefined
}

/** Sets up an authenticator on a terminal. Gives the recovery codes. */
export async function enrol(
  api: ApiClient,
  io: CliIo,
  who: { readonly email: string; readonly password?: string; readonly ticket?: string },
): Promise<string[]> {
  const secret = await api.call(enableMfa, { body: who })
  await saySecret(io, secret)
  const { email, ticket } = who
  const text = await withCode(io, undefined, (token) =>
    api.call(validateMfa, { body: { email, token, ...(ticket ? { ticket } : {}) } }),
  )
  return recoveryCodesIn(text)
}

async function saySecret(io: CliIo, { otpauthUrl, secretKey }: MfaSecret): Promise<void> {
  // Loaded here: hardly any command needs it.
  const { toString } = await import('qrcode')
  // With colours it is dark on light whatever the terminal's colours are.
  const type = io.env['NO_COLOR'] ? 'utf8' : 'terminal'
  io.say('Scan this with your authenticator:')
  io.say(await toString(otpauthUrl, { type, small: true, errorCorrectionLevel: 'L' }))
  io.say(`or type this secret into it: ${secretKey}`)
}

/** Uses the code that was given, or asks for one until it is right. @throws CliError without a terminal */
export async function withCode<T>(
  io: CliIo,
  code: string | undefined,
  use: (token: string) => Promise<T>,
): Promise<T> {
  if (code !== undefined) return await use(code)
  if (!canAsk(io))
    throw new CliError(
      'A code of the authenticator (or a recovery code) is needed: --code <code>.',
      exitCodes.notSignedIn,
    )
  for (let tries = 1; ; tries += 1) {
    const token = await askLine(io, 'Code of your authenticator: ')
    try {
      return await use(token.trim())
    } catch (error) {
      const isWrong = error instanceof ApiError && error.code === 'invalid_credentials'
      if (!isWrong || tries === triesOnTerminal) throw error
      io.say('That is not the present code, or it was used. Wait for the next one.')
    }
  }
}

/** Shows recovery codes, which is done once. */
export function sayRecoveryCodes(io: CliIo, codes: readonly string[]): void {
  io.say('Recovery codes, each good once in place of a code. Keep them: they are not shown again.')
  for (const code of codes) io.say(`  ${code}`)
}
