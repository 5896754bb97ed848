import type { AuditAction } from '../../shared/audit-actions.ts'
import { ApiError } from '../../shared/api/errors.ts'
import { changesOf } from '../audit/changes.ts'
import { createSeal } from '../auth/seal.ts'
import { createLockOut } from '../auth/lock-out.ts'
import { toUser } from '../records/users.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import { adminActor } from './audit.ts'
import { connected, findCompany } from './commands.ts'
import type { AdminConnection } from './connection.ts'

/**
 * What helps when nobody who could is let in any more. Whoever runs commands on the controller's host has its data
 * anyway; each is in the audit.
 */

type Result = Promise<Record<string, unknown>>

/** Everybody who ever was in a company, by address. */
export function listUsers(companyName: string): Result {
  return connected(async ({ store }) => {
    const { id } = await findCompany(store, companyName)
    const [members, teams] = await Promise.all([store.members.list(id), store.teams.list(id)])
    const people = await store.users.peopleOf(members.map(({ userId }) => userId))
    const shown = members.map((member, index) => {
      const email = people[index]?.email ?? ''
      const user = toUser(id, { email, userId: member.userId }, member, teams)
      const inTeams = user.team_memberships.map((team) => `${team.name} (${team.roles.join(', ')})`)
      return [email, { state: user.state, roles: user.roles, teams: inTeams }] as const
    })
    return Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Makes a user of the company an owner, whatever they are now. Their next request has it. */
export function makeOwner(email: string, companyName: string): Result {
  return connected(async ({ store, audit }) => {
    const company = await findCompany(store, companyName)
    const user = await findUser(store, email)
    const before = await store.members.find(company.id, user.id)
    if (!before)
      throw new ApiError(
        'user_not_found',
        `${company.name} has no user ${email}. Add them: temblor admin user add.`,
      )
    const { roles, state } = await store.members.change(company.id, user.id, (now) => ({
      ...now,
      state: 'ACTIVE',
      roles: [...new Set([...now.roles, 'COMPANY_OWNER' as const])],
      sinceMs: now.state === 'ACTIVE' ? now.sinceMs : Date.now(),
    }))
    await audit.record({
      action: 'user.roles',
      actor: adminActor(),
      companyId: company.id,
      target: targetOf(user),
      detail: changesOf({ roles: before.roles, state: before.state }, { roles, state }),
    })
    return { email: user.email, company: company.name, state, roles: [...roles] }
  })
}

/** Lets everybody of a company sign in with the password alone again. */
export function resetSignIn(companyName: string): Result {
  return connected(async ({ store, audit }) => {
    const { id, name } = await findCompany(store, companyName)
    const { before, after } = await store.authPreferences.change(id, (now) => ({
      ...now,
      passwordEnabled: true,
      mfaRequired: false,
      samlForced: false,
    }))
    await audit.record({
      action: 'company.preferences',
      actor: adminActor(),
      companyId: id,
      target: { kind: 'company', id, name },
      detail: changesOf(before, after),
    })
    return { company: name, ...after }
  })
}

/** Lets somebody try to sign in again at once. */
export function unlockUser(email: string): Result {
  return connected(async (connection) => {
    await lockOutOf(connection).release(email)
    const user = await connection.store.users.findByEmail(email)
    if (user) await recordOf(connection, user, 'user.unlock')
    return { email: user?.email ?? email, locked: false }
  })
}

/** Lets people try to sign in from an address again at once. */
export function unlockAddress(address: string): Result {
  return connected(async (connection) => {
    await lockOutOf(connection).releaseAddress(address)
    const target = { kind: 'address', id: null, name: address }
    await connection.audit.record({ action: 'user.unlock', actor: adminActor(), target })
    return { address, locked: false }
  })
}

/** Ends all sessions of a user with their next request. Keys stay. */
export function endSessions(email: string): Result {
  return connected(async (connection) => {
    const user = await findUser(connection.store, email)
    await connection.store.users.endSessions(user.id)
    await recordOf(connection, user, 'user.end-sessions')
    return { email: user.email, sessions: 'ended' }
  })
}

/** What is done to a user is in the audit of each of their companies. */
async function recordOf({ store, audit }: AdminConnection, user: User, action: AuditAction) {
  const event = { action, actor: adminActor(), target: targetOf(user) }
  for (const companyId of await store.users.companiesOf(user.id))
    await audit.record({ ...event, companyId })
}

function targetOf({ id, email }: User) {
  return { kind: 'user', id, name: email }
}

async function findUser(store: Store, email: string): Promise<User> {
  const user = await store.users.findByEmail(email)
  if (!user) throw new ApiError('user_not_found', `There is no user ${email}.`)
  return user
}

function lockOutOf({ store, keyFile }: AdminConnection) {
  return createLockOut(store.attempts, createSeal(keyFile))
}
