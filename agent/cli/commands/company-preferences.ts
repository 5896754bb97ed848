import type { Command } from 'commander'
import {
  AuthPreferences,
  setAuthPreferences,
  type AuthPreferencesChange,
} from '../../../shared/api/auth-preferences.ts'
import { readCompany } from '../../../shared/api/companies.ts'
import { nearest } from '../../../shared/nearest.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'
import { ownCompany } from './own-company.ts'
import { readPairs, singleValued } from './pairs.ts'

const properties: Record<
  keyof AuthPreferences,
  { readonly type: string; readonly description?: string }
> = AuthPreferences.properties
const names = Object.keys(properties) as (keyof AuthPreferences)[]

/** `temblor company preferences …`: how people sign in, and which keys there may be. */
export function registerCompanyPreferences(company: Command, io: CliIo): void {
  const preferences = company
    .command('preferences')
    .description('How people sign in, how long that lasts, and which keys there may be.')
  preferences
    .command('show')
    .description('All of them, with what each means.')
    .action(() => show(io))
  preferences
    .command('set <name=value...>')
    .description('Change some; the others stay.')
    .addHelpText(
      'after',
      `\nNames: ${names.join(', ')}\nExample: temblor company preferences set allowSessionRenewal=off sessionDuration=60`,
    )
    .action(async (pairs: string[]) => {
      const body = readChange(pairs)
      const params = await ownCompany(io)
      await signedInClient(io.env).api.call(setAuthPreferences, { params, body })
      await show(io)
    })
}

async function show(io: CliIo): Promise<void> {
  const { api } = signedInClient(io.env)
  const query = { skipTeams: 'true' }
  const found = await api.call(readCompany, { params: await ownCompany(io), query })
  const shown = found.authMethodPrefs
  printResult(io, shown, () =>
    formatTable([
      ['PREFERENCE', 'VALUE', 'MEANING'],
      ...names.map((name) => [name, inWords(shown[name]), properties[name].description ?? '']),
    ]),
  )
}

function inWords(value: boolean | number): string {
  if (typeof value === 'number') return String(value)
  return value ? 'on' : 'off'
}

/** @throws CliError naming what cannot be meant; the limits of numbers are the controller's */
function readChange(pairs: readonly string[]): AuthPreferencesChange {
  const given = singleValued(readPairs('A preference', pairs))
  if (!given) throw new CliError('A preference is given twice.', exitCodes.usage)
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, readValue(name, text)]),
  )
}

const switches = new Map([
  ['on', true],
  ['true', true],
  ['off', false],
  ['false', false],
])

function readValue(name: string, text: string): boolean | number {
  const known = names.find((one) => one === name)
  if (!known) {
    const meant = nearest(name, names)
    const hint = meant ? ` Did you mean ${meant}?` : ''
    throw new CliError(
      `There is no preference ${name}.${hint} Allowed: ${names.join(', ')}.`,
      exitCodes.usage,
    )
  }
  const isNumber = properties[known].type === 'integer'
  const value = isNumber ? (/^\d{1,9}$/.test(text) ? Number(text) : undefined) : switches.get(text)
  if (value !== undefined) return value
  throw new CliError(
    `${name} cannot be "${text}". Allowed: ${isNumber ? 'a whole number' : 'on or off'}.`,
    exitCodes.usage,
  )
}
