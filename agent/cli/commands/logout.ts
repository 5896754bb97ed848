import type { Command } from 'commander'
import { ApiError } from '../../../shared/api/errors.ts'
import { logout } from '../../../shared/api/sessions.ts'
import { keptHeader, readCredentials, removeCredentials, userAgent } from '../credentials.ts'
import { isPassing } from '../events/follow-events.ts'
import { createApiClient } from '../../../shared/api/client.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor logout`. A token in TEMBLOR_TOKEN is not ours to end. */
export function registerLogout(program: Command, io: CliIo): void {
  program
    .command('logout')
    .description('End the session that login has kept, and forget it.')
    .action(async () => {
      const stored = readCredentials(io.env)
      if (!stored) return printResult(io, { signed_out: false }, () => 'Nobody is signed in.')
      const { baseUrl, email } = stored
      try {
        // A token that has expired is renewed, or else the session could still be.
        const authorization = keptHeader(io.env, baseUrl)
        await createApiClient({ baseUrl, authorization, userAgent }).call(logout)
      } catch (error) {
        const isOver =
          (error instanceof ApiError && error.code === 'unauthenticated') ||
          (error instanceof CliError && error.exitCode === exitCodes.notSignedIn)
        if (!isOver && !isPassing(error)) throw error
        if (!isOver)
          io.say(`${baseUrl} cannot be reached: there the session ends at ${stored.expiresAt}.`)
      }
      removeCredentials(io.env)
      printResult(io, { signed_out: true, email }, () => `${email} is signed out.`)
    })
}
