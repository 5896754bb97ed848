import type { Command } from 'commander'
import { createApiClient } from '../../../shared/api/client.ts'
import {
  disableMfa,
  enableMfa,
  forceDisableMfa,
  readMfaEnabled,
  readMfaInfo,
  recoveryCodesIn,
  validateMfa,
} from '../../../shared/api/mfa.ts'
import { signedInClient, userAgent } from '../credentials.ts'
import { canAsk, confirm } from '../output/confirm.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { ownPassword, signInTarget } from './own-password.ts'
import { enrol, withCode } from './second-factor.ts'

interface Whose {
  readonly url?: string
  readonly email?: string
}

/** `temblor user mfa …`: second factors. */
export function registerMfa(user: Command, io: CliIo): void {
  const mfa = user.command('mfa').description('Second factors: codes of an authenticator.')
  mfa
    .command('status [email]')
    .description('Whether your second factor is on, or that of a user.')
    .action(async (email: string | undefined) => {
      const { api } = signedInClient(io.env)
      if (email === undefined) {
        const info = await api.call(readMfaInfo)
        const left = `, ${info.recovery_codes_left} recovery codes left`
        printResult(io, info, () => (info.enabled === 'true' ? `on${left}` : 'off'))
        return
      }
      const enabled = await api.call(readMfaEnabled, { params: { email } })
      printResult(io, { email, enabled }, () => (enabled ? 'on' : 'off'))
    })
  registerOwn(mfa, io)
  mfa
    .command('force-disable <email>')
    .description('Switch off the second factor of somebody who lost it; their sessions end.')
    .option('--yes', 'do not ask, on a terminal either')
    .action(async (email: string, options: { yes?: boolean }) => {
      await confirm(
        io,
        options.yes === true,
        `Switch the second factor of ${email} off? All their sessions end.`,
      )
      await signedInClient(io.env).api.call(forceDisableMfa, { body: { email } })
      printResult(io, { email, enabled: false }, () => `The second factor of ${email} is off.`)
    })
}

/** These need the password, and work without being signed in. */
function registerOwn(mfa: Command, io: CliIo): void {
  const own = (name: string, description: string) =>
    mfa
      .command(name)
      .description(description)
      .option('--url <address>', 'address of the controller (or TEMBLOR_URL)')
      .option('--email <email>', 'whose; that of the last sign-in unless stated')
  const password = '\nThe password is read from TEMBLOR_PASSWORD, from stdin, or asked for.'
  own('enable', 'Set up an authenticator. Without a terminal: prints the secret, to be confirmed.')
    .addHelpText('after', password)
    .action((whose: Whose) => runEnable(whose, io))
  own(
    'confirm <code>',
    'Switch your second factor on with the first code of the authenticator.',
  ).action(async (code: string, whose: Whose) => {
    const { api, email } = clientOf(io, whose)
    const text = await api.call(validateMfa, { body: { email, token: code } })
    showRecoveryCodes(io, email, recoveryCodesIn(text))
  })
  own('disable', 'Switch your second factor off; all your sessions end.')
    .option('--code <code>', 'code of the authenticator, or a recovery code; asked for when needed')
    .addHelpText('after', password)
    .action(async (whose: Whose & { code?: string }) => {
      const { api, email } = clientOf(io, whose)
      const body = { email, password: await ownPassword(io, email) }
      await withCode(io, whose.code, (token) => api.call(disableMfa, { body: { ...body, token } }))
      printResult(io, { email, enabled: false }, () => 'Your second factor is off. Sign in again.')
    })
}

async function runEnable(whose: Whose, io: CliIo): Promise<void> {
  const { api, email } = clientOf(io, whose)
  const who = { email, password: await ownPassword(io, email) }
  if (canAsk(io)) {
    showRecoveryCodes(io, email, await enrol(api, io, who))
    return
  }
  const { secretKey, otpauthUrl } = await api.call(enableMfa, { body: who })
  printResult(io, { email, secretKey, otpauthUrl }, () => secretKey)
  io.say('It counts once you confirm it, within ten minutes: temblor user mfa confirm <code>')
}

function clientOf(io: CliIo, whose: Whose) {
  const { baseUrl, email } = signInTarget(io, whose)
  return { api: createApiClient({ baseUrl, userAgent }), email }
}

function showRecoveryCodes(io: CliIo, email: string, codes: readonly string[]): void {
  printResult(io, { email, enabled: true, recovery_codes: codes }, () => [...codes])
  io.say('Your second factor is on. Keep the recovery codes: they are not shown again.')
}
