import type { Command } from 'commander'
import { createApiClient } from '../../../shared/api/client.ts'
import { requestPasswordReset, resetPassword } from '../../../shared/api/password-reset.ts'
import { changePassword } from '../../../shared/api/sessions.ts'
import { apiBaseUrl, readCredentials, signedInClient, userAgent } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor password …`: the own password. Passwords come from the environment, never as arguments. */
export function registerPassword(program: Command, io: CliIo): void {
  const password = program.command('password').description('Your password: change, forget, reset.')
  password
    .command('change')
    .description('Change your password; all your other sessions end.')
    .addHelpText('after', '\nTEMBLOR_PASSWORD holds the present one, TEMBLOR_NEW_PASSWORD the new.')
    .action(async () => {
      const body = {
        currentPassword: needed(io, 'TEMBLOR_PASSWORD'),
        newPassword: needed(io, 'TEMBLOR_NEW_PASSWORD'),
      }
      await signedInClient(io.env).api.call(changePassword, { body })
      printResult(io, { changed: true }, () => 'Your password is changed.')
    })
  password
    .command('forgot <email>')
    .description('Have a link mailed with which a user sets a new password.')
    .option('--url <address>', 'address of the controller (or TEMBLOR_URL)')
    .action(async (email: string, options: { url?: string }) => {
      const url = options.url ?? io.env['TEMBLOR_URL'] ?? readCredentials(io.env)?.baseUrl
      if (!url) throw new CliError('--url is missing.', exitCodes.usage)
      const api = createApiClient({ baseUrl: apiBaseUrl(url), userAgent })
      await api.call(requestPasswordReset, { body: { email } })
      printResult(
        io,
        { email, asked: true },
        () => `If there is a user ${email} and the controller has a mail server, a mail is sent.`,
      )
    })
  password
    .command('reset <link>')
    .description('Set a new password with the link from the mail; all sessions end.')
    .addHelpText('after', '\nThe new password is read from TEMBLOR_PASSWORD.')
    .action(async (link: string) => {
      const url = URL.parse(link)
      const facts = new URLSearchParams(url?.hash.slice(1))
      const [email, code] = [facts.get('email'), facts.get('code')]
      if (!url || !email || !code)
        throw new CliError(`"${link}" is not the whole link of a mail.`, exitCodes.usage)
      const api = createApiClient({ baseUrl: apiBaseUrl(url.origin), userAgent })
      const body = { email, code, password: needed(io, 'TEMBLOR_PASSWORD') }
      await api.call(resetPassword, { body })
      printResult(io, { email, changed: true }, () => `The new password of ${email} is set.`)
    })
}

function needed(io: CliIo, name: string): string {
  const value = io.env[name]
  if (!value) throw new CliError(`${name} is missing.`, exitCodes.usage)
  return value
}
