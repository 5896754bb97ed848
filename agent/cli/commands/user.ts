import type { Command } from 'commander'
import { createApiClient } from '../../../shared/api/client.ts'
import {
  acceptInvitation,
  inviteToTeam,
  withdrawInvitation,
} from '../../../shared/api/invitations.ts'
import { updateSelf } from '../../../shared/api/self.ts'
import { readSelf } from '../../../shared/api/sessions.ts'
import {
  addTeamUsers,
  listCompanyUsers,
  listUsers,
  reactivateUser,
  removeTeamUser,
  revokeUser,
  setCompanyRoles,
  setTeamRoles,
  type User,
} from '../../../shared/api/users.ts'
import { companyRoles, isCompanyRole, isTeamRole, teamRoles } from '../../../shared/roles.ts'
import { apiBaseUrl, signedInClient, userAgent } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'
import { registerMfa } from './mfa.ts'
import { ownCompany } from './own-company.ts'

/** `temblor user …`: people of the company and of the team. */
export function registerUser(program: Command, io: CliIo): void {
  const user = program.command('user').description('People, their roles and their access.')
  user
    .command('list')
    .description('The users of the team.')
    .option('--company', 'everybody in the company, invited and revoked as well')
    .action(async (options: { company?: boolean }) => {
      const { api } = signedInClient(io.env)
      const params = options.company ? await ownCompany(io) : undefined
      const users = await (params ? api.call(listCompanyUsers, { params }) : api.call(listUsers))
      printResult(io, users, () => userTable(users))
    })
  registerInvitations(user, io)
  registerAccept(user, io)
  registerMembership(user, io)
  registerAccess(user, io)
  registerMfa(user, io)
  registerName(user, io)
}

function registerInvitations(user: Command, io: CliIo): void {
  user
    .command('invite <email>')
    .description(
      'Invite somebody to the company and the team. Without a mail server: hand them the link.',
    )
    .action(async (email: string) => {
      const made = await signedInClient(io.env).api.call(inviteToTeam, { body: { email } })
      printResult(io, made, () => made.accept_url ?? `A mail goes to ${made.identifier}.`)
      io.say(
        made.accept_url
          ? `Good until ${made.expires_at}; hand it to ${made.identifier}, no mail is sent.`
          : `Its link is good until ${made.expires_at}.`,
      )
    })
  user
    .command('uninvite <email>')
    .description('Withdraw an invitation.')
    .action(async (email: string) => {
      await signedInClient(io.env).api.call(withdrawInvitation, { params: { email } })
      printResult(io, { email, invited: false }, () => `${email} is not invited any more.`)
    })
}

/** Joins a company with the link of an invitation; nobody is signed in for that. */
function registerAccept(user: Command, io: CliIo): void {
  user
    .command('accept <link>')
    .description('Join a company with the link of an invitation.')
    .addHelpText(
      'after',
      '\nThe password, new or that of the user you have, is read from TEMBLOR_PASSWORD.',
    )
    .action(async (link: string) => {
      const given = readLink(link)
      const password = io.env['TEMBLOR_PASSWORD']
      if (!password) throw new CliError('TEMBLOR_PASSWORD is missing.', exitCodes.usage)
      const { baseUrl, companyId, email, code } = given
      const joined = await createApiClient({ baseUrl, userAgent }).call(acceptInvitation, {
        params: { companyId },
        body: { email, code, password },
      })
      printResult(io, joined, () => `${joined.identifier} is in ${joined.company_name} now.`)
    })
}

function readLink(link: string) {
  const url = URL.parse(link)
  const facts = new URLSearchParams(url?.hash.slice(1))
  const [companyId, email, code] = [facts.get('company'), facts.get('email'), facts.get('code')]
  if (url && companyId && email && code)
    return { baseUrl: apiBaseUrl(url.origin), companyId, email, code }
  throw new CliError(`"${link}" is not the whole link of an invitation.`, exitCodes.usage)
}

function registerMembership(user: Command, io: CliIo): void {
  user
    .command('add <email...>')
    .description('Add users of the company to the team, as TEAM_USER.')
    .action(async (emails: string[]) => {
      const body = emails.map((identifier) => ({ identifier }))
      await signedInClient(io.env).api.call(addTeamUsers, { body })
      printResult(io, { added: emails }, () => `${emails.join(', ')}: in the team now.`)
    })
  user
    .command('remove <email>')
    .description('Take a user out of the team.')
    .action(async (email: string) => {
      await signedInClient(io.env).api.call(removeTeamUser, { params: { email } })
      printResult(io, { email, removed: true }, () => `${email} is not in the team any more.`)
    })
  user
    .command('roles <email> <role...>')
    .description('Give a user these roles, all of the team or all of the company.')
    .addHelpText('after', `\nRoles: ${[...teamRoles, ...companyRoles].join(', ')}`)
    .action(async (email: string, roles: string[]) => {
      const changed = await setRoles(io, email, roles)
      printResult(io, changed, () => userTable([changed]))
    })
}

function registerAccess(user: Command, io: CliIo): void {
  user
    .command('revoke <email>')
    .description('End the access of a user to the company, with their next request.')
    .action(async (email: string) => {
      const params = { ...(await ownCompany(io)), email }
      await signedInClient(io.env).api.call(revokeUser, { params })
      printResult(io, { email, active: false }, () => `${email} has no access any more.`)
    })
  user
    .command('reactivate <email>')
    .description('Give a revoked user the access back.')
    .action(async (email: string) => {
      const params = { ...(await ownCompany(io)), email }
      await signedInClient(io.env).api.call(reactivateUser, { params })
      printResult(io, { email, active: true }, () => `${email} may sign in again.`)
    })
}

function registerName(user: Command, io: CliIo): void {
  user
    .command('name')
    .description('Say how you are called; an empty name is removed.')
    .option('--first <name>', 'first name')
    .option('--last <name>', 'last name')
    .action(async ({ first, last }: { first?: string; last?: string }) => {
      if (first === undefined && last === undefined)
        throw new CliError('Give --first or --last.', exitCodes.usage)
      const body = {
        ...(first === undefined ? {} : { first_name: first }),
        ...(last === undefined ? {} : { last_name: last }),
      }
      const { api } = signedInClient(io.env)
      await api.call(updateSelf, { body })
      const self = await api.call(readSelf)
      const name = [self.first_name, self.last_name].filter(Boolean).join(' ')
      printResult(io, self, () => `${self.identifier} is called ${name || 'nothing'} now.`)
    })
}

async function setRoles(io: CliIo, email: string, roles: readonly string[]): Promise<User> {
  const { api } = signedInClient(io.env)
  if (roles.every(isTeamRole))
    return await api.call(setTeamRoles, { params: { email }, body: { role: [...roles] } })
  if (roles.every(isCompanyRole)) {
    const params = { ...(await ownCompany(io)), email }
    return await api.call(setCompanyRoles, { params, body: { roles: [...roles] } })
  }
  throw new CliError(
    `Roles cannot be ${roles.join(', ')}. Allowed: some of ${teamRoles.join(', ')}, or some of ${companyRoles.join(', ')}.`,
    exitCodes.usage,
  )
}

/** People as rows: state, roles and teams. */
export function userTable(users: readonly User[]): string[] {
  const rows = users.map((user) => [
    user.identifier,
    user.state,
    user.roles.join(', '),
    user.team_memberships.map((team) => `${team.name} (${team.roles.join(', ')})`).join('; '),
    [user.first_name, user.last_name].filter(Boolean).join(' '),
  ])
  return formatTable([['USER', 'STATE', 'COMPANY ROLES', 'TEAMS', 'NAME'], ...rows])
}
