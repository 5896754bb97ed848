import { describe, expect, test } from 'vitest'
import { companyEditNeeds, revocationNeeds, teamEditNeeds, type Holder } from './role-rules.ts'
import {
  companyRoles,
  privilegesOf,
  teamRoles,
  type CompanyRole,
  type Privilege,
  type TeamRole,
} from './roles.ts'

/** Every set of these roles. */
function subsets<R>(roles: readonly R[]): R[][] {
  return roles.reduce<R[][]>((sets, role) => [...sets, ...sets.map((set) => [...set, role])], [[]])
}

const team = 'a-team'
const inCompany = (...roles: CompanyRole[]): Holder => ({ roles, teams: {} })
const everyone = subsets(companyRoles).map((roles) => inCompany(...roles))
const teamSets = subsets(teamRoles)
const member = (role: CompanyRole, inTeam: readonly TeamRole[]): Holder => ({
  roles: [role],
  teams: { [team]: inTeam },
})
const known = new Map<string, ReadonlySet<Privilege>>()
/** Looked up half a million times. */
function rightsOf(roles: readonly CompanyRole[]): ReadonlySet<Privilege> {
  const all = known.get(roles.join()) ?? privilegesOf(roles, [])
  known.set(roles.join(), all)
  return all
}
const rights = (holder: Holder) => rightsOf(holder.roles)
const covers = (actor: Holder, roles: readonly CompanyRole[]) =>
  [...rightsOf(roles)].every((right) => rights(actor).has(right))

const mayPlace = (actor: Holder) =>
  rights(actor).has('COMPANY_USERS_WRITE') || (actor.teams[team] ?? []).includes('TEAM_MANAGER')

/** A change in the team that takes more than to place people there. */
function isReserved(actor: Holder, subject: Holder, after: readonly TeamRole[]): boolean {
  const before = subject.teams[team] ?? []
  const promotes = before.includes('TEAM_MANAGER') !== after.includes('TEAM_MANAGER')
  const touchesOwner = subject.roles.includes('COMPANY_OWNER') && before.length > 0
  return (
    (promotes && !rights(actor).has('PROMOTE_DEMOTE_MANAGER')) ||
    (touchesOwner && !actor.roles.includes('COMPANY_OWNER'))
  )
}

/** Every actor, every subject, every new set of company roles. */
function* companyEdits() {
  for (const actor of everyone)
    for (const subject of everyone)
      for (const { roles: after } of everyone)
        yield { actor, subject, after, missing: companyEditNeeds(actor, subject, after) }
}

describe('company roles: for every actor, subject and change', () => {
  const edits = [...companyEdits()]
  const allowed = edits.filter((edit) => edit.missing === undefined)

  test('there are allowed and refused ones', () => {
    expect(edits.length).toBe(32 ** 3)
    expect(allowed.length).toBeGreaterThan(1_000)
    expect(edits.length - allowed.length).toBeGreaterThan(1_000)
  })

  test('the privilege that is named is really missing', () => {
    const wrong = edits.filter((edit) => edit.missing && rights(edit.actor).has(edit.missing))
    expect(wrong).toEqual([])
  })

  test('nobody grants what they lack, or edits someone who holds it', () => {
    const wrong = allowed.filter(
      ({ actor, subject, after }) => !covers(actor, after) || !covers(actor, subject.roles),
    )
    expect(wrong).toEqual([])
  })

  test('only an owner touches an owner or makes one', () => {
    const wrong = allowed.filter(
      ({ actor, subject, after }) =>
        [...subject.roles, ...after].includes('COMPANY_OWNER') &&
        !actor.roles.includes('COMPANY_OWNER'),
    )
    expect(wrong).toEqual([])
  })

  test('only admins and owners make or unmake managers and admins', () => {
    const wrong = allowed.filter(
      ({ actor, subject, after }) =>
        (['COMPANY_MANAGER', 'COMPANY_ADMIN'] as const).some(
          (role) => subject.roles.includes(role) !== after.includes(role),
        ) && !actor.roles.some((role) => role === 'COMPANY_ADMIN' || role === 'COMPANY_OWNER'),
    )
    expect(wrong).toEqual([])
  })

  test('who may less with more roles? Nobody: another role never takes a right away', () => {
    // Every third is enough to hit each pair of roles.
    const some = allowed.filter((_, index) => index % 3 === 0)
    const wrong = some.filter(({ actor, subject, after }) =>
      companyRoles.some((role) =>
        companyEditNeeds(inCompany(...actor.roles, role), subject, after),
      ),
    )
    expect(wrong).toEqual([])
  })

  test('an owner may do all of it', () => {
    const owner = inCompany('COMPANY_OWNER')
    expect(
      edits.filter((edit) => edit.missing && edit.actor.roles.includes('COMPANY_OWNER')),
    ).toEqual([])
    expect(companyEditNeeds(owner, owner, [])).toBeUndefined()
  })

  test('a user and a coordinator change nobody, themselves included', () => {
    for (const role of ['COMPANY_USER', 'COMPANY_COORDINATOR'] as const)
      for (const subject of everyone)
        expect(companyEditNeeds(inCompany(role), subject, ['COMPANY_USER'])).toBe(
          'COMPANY_USERS_WRITE',
        )
  })
})

describe('team roles: for every actor, subject and change', () => {
  const actors = companyRoles.flatMap((role) => teamSets.map((set) => member(role, set)))
  const subjects = actors.filter(({ roles }) => !roles.includes('COMPANY_COORDINATOR'))

  test('only admins and owners make or unmake team managers, and only owners touch owners', () => {
    const edits = actors.flatMap((actor) =>
      subjects.flatMap((subject) => teamSets.map((after) => ({ actor, subject, after }))),
    )
    const faults = edits.filter(({ actor, subject, after }) => {
      const missing = teamEditNeeds(actor, subject, team, after)
      return !mayPlace(actor)
        ? missing !== 'USERS_WRITE'
        : isReserved(actor, subject, after) && !missing
    })
    expect(faults).toEqual([])
  })

  test('a team manager adds, changes and removes users of the own team, and none elsewhere', () => {
    const manager = member('COMPANY_USER', ['TEAM_MANAGER'])
    const newcomer = inCompany('COMPANY_USER')
    const user = member('COMPANY_USER', ['TEAM_USER'])
    expect(teamEditNeeds(manager, newcomer, team, ['TEAM_USER'])).toBeUndefined()
    expect(teamEditNeeds(manager, user, team, ['TEAM_VIEWER'])).toBeUndefined()
    expect(teamEditNeeds(manager, user, team, [])).toBeUndefined()
    expect(teamEditNeeds(manager, newcomer, 'another', ['TEAM_USER'])).toBe('USERS_WRITE')
    expect(teamEditNeeds(manager, user, team, ['TEAM_MANAGER'])).toBe('PROMOTE_DEMOTE_MANAGER')
  })

  test('a company manager places people in any team without being in it', () => {
    const manager = inCompany('COMPANY_MANAGER')
    const user = inCompany('COMPANY_USER')
    expect(teamEditNeeds(manager, user, team, ['TEAM_USER'])).toBeUndefined()
    expect(teamEditNeeds(manager, user, team, ['TEAM_MANAGER'])).toBe('PROMOTE_DEMOTE_MANAGER')
  })
})

const may = (actor: CompanyRole, subject: CompanyRole) =>
  revocationNeeds(inCompany(actor), inCompany(subject)) === undefined

test('only admins and owners revoke, and an admin revokes no owner', () => {
  for (const subject of companyRoles) {
    for (const actor of ['COMPANY_USER', 'COMPANY_COORDINATOR', 'COMPANY_MANAGER'] as const)
      expect(may(actor, subject)).toBe(false)
    expect(may('COMPANY_ADMIN', subject)).toBe(subject !== 'COMPANY_OWNER')
    expect(may('COMPANY_OWNER', subject)).toBe(true)
  }
})
