import type { SsoTest } from '../../shared/api/sso.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import type { Store } from '../store/store.ts'
import type { Team } from '../store/teams.ts'
import type { RoleChange, ToldRoles } from './apply-claims.ts'
import { traced, type SsoRefusal } from './sso-refusal.ts'

/** What a provider said in a sign-in that only tries it. */
export interface Came {
  readonly isProven: boolean
  readonly issuer: string | undefined
  readonly email: string | undefined
  readonly claims: readonly { readonly name: string; readonly values: readonly string[] }[]
}

const claimsShown = 50
const valuesShown = 50

/** Keeps what became of a sign-in that only tries a provider: what it would have changed, or why it is refused. */
export async function tellTest(
  store: Store,
  companyId: string,
  testId: string,
  ended: { readonly came: Came; readonly change?: RoleChange; readonly refusal?: SsoRefusal },
): Promise<void> {
  const { came, change, refusal } = ended
  const teams = change ? await store.teams.list(companyId) : []
  await store.ssoTests.answer(companyId, testId, {
    state: refusal ? 'REFUSED' : 'PASSED',
    answeredAt: timestamp(Date.now()),
    check: refusal?.check ?? null,
    reason: refusal?.message ?? null,
    came: {
      isProven: came.isProven,
      issuer: traced(came.issuer),
      email: traced(came.email),
      claims: came.claims.slice(0, claimsShown).map(({ name, values }) => ({
        name: cut(name),
        values: values.slice(0, valuesShown).map(cut),
      })),
    },
    outcome: change ? outcomeOf(change, teams) : null,
  })
}

function cut(text: string): string {
  return traced(text) ?? ''
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
