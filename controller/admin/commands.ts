import { ApiError } from '../../shared/api/errors.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import { formatJoinLine } from '../../shared/join-line.ts'
import { companyRoles, isCompanyRole, isTeamRole, teamRoles } from '../../shared/roles.ts'
import { caFingerprint } from '../auth/key-file.ts'
import { issueResetCode } from '../auth/password-reset.ts'
import { createPasswords } from '../auth/password.ts'
import { createSeal } from '../auth/seal.ts'
import type { Company, Team } from '../store/companies.ts'
import type { Store } from '../store/store.ts'
import { findTeamIn } from '../store/teams.ts'
import type { User } from '../store/users.ts'
import { adminActor } from './audit.ts'
import { openAdminConnection, type AdminConnection } from './connection.ts'
import { generatePassword } from './first-owner.ts'

/** Makes a company. @throws ApiError when the name is taken or not allowed */
export function addCompany(name: string): Promise<Record<string, unknown>> {
  return connected(async ({ store, audit }) => {
    const company = await store.companies.addCompany(name)
    const target = { kind: 'company', ...company }
    await audit.record({
      action: 'company.create',
      actor: adminActor(),
      companyId: company.id,
      target,
    })
    return { ...company }
  })
}

/** Makes a team. The answer holds the secret that hosts join with. */
export function addTeam(name: string, companyName: string): Promise<Record<string, unknown>> {
  return connected(async ({ store, audit }) => {
    const company = await findCompany(store, companyName)
    const team = await store.companies.addTeam(company, name)
    await audit.record({ action: 'team.create', actor: adminActor(), ...placeOf(team) })
    return { ...team, company: company.name }
  })
}

/** The line with which a host joins a team. */
export function teamJoinLine(
  name: string,
  companyName: string,
  address: string | undefined,
): Promise<Record<string, unknown>> {
  return connected(async ({ store, audit, keyFile, grpcAddress }) => {
    const team = await findTeam(store, await findCompany(store, companyName), name)
    const reachable = address ?? grpcAddress
    if (!reachable)
      throw new ApiError('invalid_body', 'Name the agent port of the controller with --address.')
    const secret = await store.companies.readTeamSecret(team)
    const caSha256 = caFingerprint(keyFile)
    const detail = { shown: true }
    await audit.record({ action: 'team.secret', actor: adminActor(), ...placeOf(team), detail })
    return { join: formatJoinLine({ address: reachable, teamId: team.id, secret, caSha256 }) }
  })
}

/**
 * Makes a user with a place in a company, or gives one who exists such a place. The password comes from
 * TEMBLOR_PASSWORD, else it is generated and shown; it is null when it is not shown.
 */
export function addUser(
  email: string,
  options: { company: string; team?: string[]; companyRole: string[]; teamRole: string[] },
): Promise<Record<string, unknown>> {
  const roles = checkRoles(options.companyRole, isCompanyRole, companyRoles, '--company-role')
  const inTeams = checkRoles(options.teamRole, isTeamRole, teamRoles, '--team-role')
  return connected(async ({ store, audit }) => {
    const company = await findCompany(store, options.company)
    const teams = await Promise.all(
      (options.team ?? []).map((name) => findTeam(store, company, name)),
    )
    const known = await store.users.findByEmail(email)
    const given = process.env['TEMBLOR_PASSWORD']
    const password = given || generatePassword()
    const user = known ?? (await addNewUser(store, email, password))
    const before = await store.companies.readMembership(company.id, user.id)
    await store.companies.writeMembership(company.id, user.id, {
      roles,
      teams: {
        ...before?.teams,
        ...Object.fromEntries(teams.map((team) => [team.id, inTeams])),
      },
    })
    await audit.record({
      action: 'user.create',
      actor: adminActor(),
      companyId: company.id,
      target: { kind: 'user', id: user.id, name: user.email },
      detail: {
        existed: Boolean(known),
        old: before?.roles,
        new: roles,
        teams: options.team,
        inTeams,
      },
    })
    return {
      id: user.id,
      email: user.email,
      // Only one that nobody knows yet is shown.
      password: known || given ? null : password,
      company: company.name,
      company_roles: roles,
      teams: teams.map((team) => team.name),
      team_roles: inTeams,
    }
  })
}

/**
 * Makes a link with which a user sets a new password, for when no mail can be sent. It ends an earlier one.
 * @throws ApiError when there is no such user
 */
export function resetPassword(email: string): Promise<Record<string, unknown>> {
  return connected(async ({ store, audit, keyFile, siteUrl }) => {
    const user = await store.users.findByEmail(email)
    if (!user) throw new ApiError('user_not_found', `There is no user ${email}.`)
    if (!siteUrl)
      throw new ApiError('invalid_body', 'Name the address of the API in TEMBLOR_PUBLIC_URL.')
    const seal = createSeal(keyFile)
    const { link, expiresMs } = await issueResetCode({ store, seal }, user, siteUrl)
    const target = { kind: 'user', id: user.id, name: user.email }
    const event = { action: 'session.password-code', actor: adminActor(), target } as const
    for (const companyId of await store.users.companiesOf(user.id))
      await audit.record({ ...event, companyId, detail: { shown: true } })
    return { email: user.email, link, expires_at: timestamp(expiresMs) }
  })
}

/**
 * Switches the second factor of a user off who lost it, for when nobody else may. All sessions of the user end.
 * @throws ApiError when there is no such user
 */
export function disableMfa(email: string): Promise<Record<string, unknown>> {
  return connected(async ({ store, audit }) => {
    const user = await store.users.findByEmail(email)
    if (!user) throw new ApiError('user_not_found', `There is no user ${email}.`)
    await store.users.endSessions(user.id)
    const wasOn = await store.mfa.remove(user.id)
    const target = { kind: 'user', id: user.id, name: user.email }
    for (const companyId of await store.users.companiesOf(user.id))
      await audit.record({ action: 'mfa.force-disable', actor: adminActor(), target, companyId })
    return { email: user.email, second_factor: false, was_on: wasOn }
  })
}

function placeOf({ companyId, id, name }: Team) {
  return { companyId, teamId: id, target: { kind: 'team', id, name } }
}

async function addNewUser(store: Store, email: string, password: string): Promise<User> {
  const passwords = await createPasswords()
  return await store.users.add(email, await passwords.hash(password))
}

/** Runs a command against the data of the controller on this host. */
export async function connected(
  work: (connection: AdminConnection) => Promise<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const connection = await openAdminConnection(process.env)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** @throws ApiError `invalid_body` */
export async function findCompany(store: Store, name: string): Promise<Company> {
  const company = await store.companies.findCompany(name)
  if (!company) throw new ApiError('invalid_body', `There is no company "${name}".`)
  return company
}

async function findTeam(store: Store, company: Company, name: string): Promise<Team> {
  const teams = await store.companies.listTeams(company.id)
  const team = findTeamIn(teams, name)
  if (team) return team
  const known = teams.map((candidate) => candidate.name).join(', ') || 'none'
  throw new ApiError('invalid_body', `${company.name} has no team "${name}". It has: ${known}.`)
}

function checkRoles<R extends string>(
  given: readonly string[],
  isRole: (text: string) => text is R,
  all: readonly R[],
  flag: string,
): R[] {
  return given.map((role) => {
    if (isRole(role)) return role
    throw new ApiError('invalid_body', `${flag} cannot be "${role}". Allowed: ${all.join(', ')}.`)
  })
}
