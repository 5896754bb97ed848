import type { Command } from 'commander'
import {
  activateApiKey,
  type ApiKey,
  createApiKey,
  listApiKeys,
  listCompanyApiKeys,
  revokeApiKey,
  setApiKeyExpiration,
} from '../../../shared/api/api-keys.ts'
import { signedInClient } from '../credentials.ts'
import { confirm } from '../output/confirm.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'
import { readComing } from './moment.ts'

/** `temblor key …`: keys of the API, for scripts and CI. */
export function registerKey(program: Command, io: CliIo): void {
  const key = program.command('key').description('Keys of the API, for scripts and CI.')
  registerCreate(key, io)
  key
    .command('list')
    .description('Your keys: state, team, expiry, last use.')
    .option('--all', 'those of everybody in the company')
    .action(async (options: { all?: boolean }) => {
      const { api } = signedInClient(io.env)
      const keys = await api.call(options.all ? listCompanyApiKeys : listApiKeys)
      printResult(io, keys, () =>
        keys.length === 0 ? 'There is no key. Make one: temblor key create <name>' : table(keys),
      )
    })
  key
    .command('revoke <key>')
    .description('Revoke a key, by id or name; what uses it is turned away from now on.')
    .option('--yes', 'do not ask, on a terminal either')
    .action(async (keyId: string, options: { yes?: boolean }) => {
      const { api } = signedInClient(io.env)
      await confirm(
        io,
        options.yes === true,
        `Revoke the key ${keyId}? What uses it fails at once.`,
      )
      await api.call(revokeApiKey, { params: { keyId } })
      printResult(io, { key: keyId, revoked: true }, () => `The key ${keyId} is revoked.`)
    })
  key
    .command('reinstate <key>')
    .description('Let a revoked key work again.')
    .action(async (keyId: string) => {
      await signedInClient(io.env).api.call(activateApiKey, { params: { keyId } })
      printResult(io, { key: keyId, revoked: false }, () => `The key ${keyId} works again.`)
    })
  registerExpire(key, io)
}

function registerCreate(key: Command, io: CliIo): void {
  key
    .command('create <name>')
    .description('Make a key that may do what you may; it is shown only now.')
    .option('--description <text>', 'what it is for')
    .option('--expires <moment>', 'when it ceases to work: 90d, 12h or ISO 8601; default never')
    .option('--team <name>', 'the team it works in, by name or id; default that of the session')
    .addHelpText('after', '\nUse it: TEMBLOR_URL=… TEMBLOR_API_KEY=… temblor attack run …')
    .action(
      async (name: string, given: { description?: string; expires?: string; team?: string }) => {
        const expiresAt = given.expires && readComing('--expires', given.expires, Date.now())
        const made = await signedInClient(io.env).api.call(createApiKey, {
          body: {
            identifier: name,
            ...(given.description ? { description: given.description } : {}),
            ...(expiresAt ? { expiresAt } : {}),
            ...(given.team ? { teamId: given.team } : {}),
          },
        })
        printResult(io, { identifier: name, key: made, expires_at: expiresAt ?? null }, () => made)
        io.say('Keep it: it is not shown again. Send it as TEMBLOR_API_KEY.')
      },
    )
}

function registerExpire(key: Command, io: CliIo): void {
  key
    .command('expire <key> <moment>')
    .description('Change when a key expires: 90d, 12h, ISO 8601 or never.')
    .action(async (keyId: string, moment: string) => {
      const expiresAt = moment === 'never' ? undefined : readComing('moment', moment, Date.now())
      await signedInClient(io.env).api.call(setApiKeyExpiration, {
        params: { keyId },
        query: expiresAt ? { expiresAt } : {},
      })
      printResult(io, { key: keyId, expires_at: expiresAt ?? null }, () =>
        expiresAt
          ? `The key ${keyId} works until ${expiresAt}.`
          : `The key ${keyId} never expires.`,
      )
    })
}

function table(keys: readonly ApiKey[]): string[] {
  return formatTable([
    ['KEY', 'OWNER', 'STATE', 'EXPIRES', 'LAST USED', 'ID'],
    ...keys.map((key) => [
      key.identifier,
      key.created_by,
      key.state,
      key.expires_at ?? 'never',
      key.last_used_at ?? 'never',
      key.id,
    ]),
  ])
}
