import type { Command } from 'commander'
import {
  listCompanyClients,
  readCompany,
  updateCompany,
  type Company,
} from '../../../shared/api/companies.ts'
import { listRoles } from '../../../shared/api/roles.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import { listCompanyUsers } from '../../../shared/api/users.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'
import { ownCompany } from './own-company.ts'
import { readPairs, singleValued } from './pairs.ts'
import { userTable } from './user.ts'

/** `temblor company …`: the company of the session. */
export function registerCompany(program: Command, io: CliIo): Command {
  const company = program.command('company').description('The company: settings, people, hosts.')
  company
    .command('show')
    .description('The company with its teams, default roles and preferences.')
    .action(async () => {
      const params = await ownCompany(io)
      const found = await signedInClient(io.env).api.call(readCompany, { params })
      printResult(io, found, () => describe(found))
    })
  registerSet(company, io)
  registerLists(company, io)
  return company
}

interface SetOptions {
  readonly defaultCompanyRole?: string
  readonly defaultTeamRole?: string
  readonly pref?: readonly string[]
  readonly removePref?: readonly string[]
}

function registerSet(company: Command, io: CliIo): void {
  company
    .command('set')
    .description('Change default roles and preferences; what is not named stays.')
    .option('--default-company-role <role>', 'of whoever is invited')
    .option('--default-team-role <role>', 'of whoever is invited or added to a team')
    .option('--pref <name=value...>', 'keep a preference with the company')
    .option('--remove-pref <name...>', 'forget a preference')
    .action(async (options: SetOptions) => {
      const body = changeOf(options)
      const params = await ownCompany(io)
      const { api } = signedInClient(io.env)
      await api.call(updateCompany, { params, body })
      const found = await api.call(readCompany, { params })
      printResult(io, found, () => describe(found))
    })
}

function changeOf(options: SetOptions): BodyOf<typeof updateCompany> {
  const { defaultCompanyRole, defaultTeamRole, pref, removePref } = options
  if (!defaultCompanyRole && !defaultTeamRole && !pref && !removePref)
    throw new CliError('Nothing to set. See: temblor company set --help', exitCodes.usage)
  const prefs = singleValued(readPairs('--pref', pref))
  if (!prefs) throw new CliError('--pref names a preference twice.', exitCodes.usage)
  const removed = Object.fromEntries((removePref ?? []).map((name) => [name, null]))
  const body = {
    prefs: { ...removed, ...prefs },
    ...(defaultCompanyRole ? { defaultCompanyRole } : {}),
    ...(defaultTeamRole ? { defaultTeamRole } : {}),
  }
  // The controller says which roles may be the default.
  return body as BodyOf<typeof updateCompany>
}

function registerLists(company: Command, io: CliIo): void {
  company
    .command('users')
    .description('Everybody in the company: active, invited and revoked.')
    .action(async () => {
      const params = await ownCompany(io)
      const users = await signedInClient(io.env).api.call(listCompanyUsers, { params })
      printResult(io, users, () => userTable(users))
    })
  company
    .command('clients')
    .description('The hosts of all teams that you may look into.')
    .action(async () => {
      const params = await ownCompany(io)
      const hosts = await signedInClient(io.env).api.call(listCompanyClients, { params })
      const rows = hosts.map((one) => [one.identifier, one.state, one.org_id, one.last_seen])
      printResult(io, hosts, () => formatTable([['HOST', 'STATE', 'TEAM', 'LAST SEEN'], ...rows]))
    })
  company
    .command('roles')
    .description('Every role with the privileges it gives.')
    .action(async () => {
      const table = await signedInClient(io.env).api.call(listRoles)
      const all = [...Object.values(table.roles.company), ...Object.values(table.roles.team)]
      printResult(io, table, () =>
        all.flatMap(({ name, privileges }) => [name, `  ${privileges.join(' ')}`]),
      )
    })
}

function describe(company: Company): string[] {
  const prefs = Object.entries(company.prefs).map(([name, value]) => `${name}=${value}`)
  return [
    `${company.name} (${company.identifier})`,
    `  created       ${company.createdAt}`,
    `  default roles ${company.defaultCompanyRole}, ${company.defaultTeamRole}`,
    `  preferences   ${prefs.join(' ') || 'none'}`,
    `  teams         ${company.orgs?.map(({ name }) => name).join(', ') || 'none'}`,
  ]
}
