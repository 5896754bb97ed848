import type { SsoTest } from '../../shared/api/sso.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import type { RoleChange, ToldRoles } from '../auth/apply-claims.ts'
import { traced, type SsoRefusal } from '../auth/sso-refusal.ts'
import type { Store } from '../store/store.ts'
import type { Team } from '../store/teams.ts'
import type { SamlAttribute } from './assertion.ts'
import type { Trace } from './check-response.ts'

const attributesShown = 50
const valuesShown = 50

/** Keeps what became of a sign-in that only tries a provider: what it would have changed, or why it is refused. */
export async function tellTest(
  store: Store,
  trace: Trace,
  ended: { readonly change?: RoleChange; readonly refusal?: SsoRefusal },
): Promise<void> {
  const { company, request } = trace
  if (!company || request?.testId === undefined) return
  const { change, refusal } = ended
  const teams = change ? await store.teams.list(company.id) : []
  await store.ssoTests.answer(company.id, request.testId, {
    state: refusal ? 'REFUSED' : 'PASSED',
    answeredAt: timestamp(Date.now()),
    check: refusal?.check ?? null,
    reason: refusal?.message ?? null,
    came: cameWith(trace),
    outcome: change ? outcomeOf(change, teams) : null,
  })
}

function cameWith({ isProven, issuer, email, attributes }: Trace): SsoTest['came'] {
  return {
    isProven: isProven === true,
    issuer: traced(issuer),
    email: traced(email),
    claims: (attributes ?? []).slice(0, attributesShown).map(toClaim),
  }
}

function cut(text: string): string {
  return traced(text) ?? ''
}

function toClaim({ name, values }: SamlAttribute) {
  return { name: cut(name), values: values.slice(0, valuesShown).map(cut) }
}

function outcomeOf({ before, after }: RoleChange, teams: readonly Team[]): SsoTest['outcome'] {
  return {
    isNewMember: before.roles === undefined,
    before: before.roles ? placeOf(before, teams) : null,
    after: placeOf(after, teams),
  }
}

function placeOf({ roles = [], teams: places = {} }: ToldRoles, teams: readonly Team[]) {
  return {
    roles: [...roles],
    teams: Object.entries(places).map(([identifier, inTeam]) => ({
      identifier,
      name: teams.find(({ id }) => id === identifier)?.name ?? identifier,
      roles: [...inTeam],
    })),
  }
}
