import type { Client } from '../../../shared/api/clients.ts'
import {
  domainLimit,
  prefLimit,
  type Company as ShownCompany,
  type updateCompany,
} from '../../../shared/api/companies.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import { changesOf } from '../../audit/changes.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Caller } from '../../auth/access.ts'
import { enterTeam } from '../../auth/enter-team.ts'
import { invalid } from '../../records/invalid.ts'
import { toOAuthSettings } from '../../records/oauth.ts'
import { toSamlIdpPrefs } from '../../records/saml.ts'
import { toOrg } from '../../records/teams.ts'
import type { Company } from '../../store/companies.ts'
import type { CompanySettings } from '../../store/company-settings.ts'
import type { Store } from '../../store/store.ts'

type Change = BodyOf<typeof updateCompany>

/** The company of the caller. */
export interface CompanyService {
  read(company: Company, withTeams: boolean): Promise<ShownCompany>
  /** @throws ApiError `invalid_body` when there would be too many preferences */
  update(caller: Caller, change: Change, audit: AuditNote): Promise<void>
  /** `domains` with commas in between. @throws ApiError `invalid_body` for one that is none */
  claimDomains(caller: Caller, domains: string, audit: AuditNote): Promise<void>
  /** The hosts of every team that the caller may look into. */
  clients(caller: Caller): Promise<Client[]>
}

/** Makes the service of companies. */
export function createCompanyService(store: Store): CompanyService {
  return {
    async read(company, withTeams) {
      const [settings, signIn, createdMs, teams] = await Promise.all([
        store.companySettings.read(company.id),
        store.signInSettings.read(company.id),
        store.companies.createdMsOf(company.id),
        withTeams ? store.teams.list(company.id) : undefined,
      ])
      return {
        identifier: company.id,
        name: company.name,
        alias: null,
        createdAt: timestamp(createdMs),
        entitlements: [],
        ...settings,
        domains: [...settings.domains],
        haltAllCoolDownEnd: null,
        authMethodPrefs: signIn.preferences,
        samlIdpPrefs: toSamlIdpPrefs(signIn),
        oauthSettings: toOAuthSettings(signIn),
        ...(teams ? { orgs: teams.map(toOrg) } : {}),
      }
    },
    async update({ company }, change, audit) {
      await store.companySettings.change(company.id, (now) => {
        const next = changed(now, change)
        audit.detail(changesOf({ ...now, ...now.prefs }, { ...next, ...next.prefs }))
        return next
      })
    },
    async claimDomains({ company }, text, audit) {
      const domains = readDomains(text)
      await store.companySettings.change(company.id, (now) => {
        audit.detail(changesOf({ domains: now.domains }, { domains }))
        return { ...now, domains }
      })
    },
    async clients(caller) {
      const lists = await Promise.all(
        (await store.teams.list(caller.company.id)).map(async ({ id }) => {
          const { privileges } = await enterTeam(store, caller, id)
          const maySee = privileges.has('REPORTS_READ') || privileges.has('CLIENTS_READ')
          return maySee ? await store.hosts.list(id) : []
        }),
      )
      return lists.flat()
    },
  }
}

function readDomains(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim().toLowerCase())
  const domains = [...new Set(parts.filter((part) => part !== ''))]
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
  const pattern = new RegExp(`^(?:${label}\\.)+${label}$`)
  const bad = domains.find((domain) => domain.length > 189 || !pattern.test(domain))
  if (bad !== undefined) invalid('domain', bad, 'domains such as example.org')
  if (domains.length > domainLimit)
    invalid('domain', `${domains.length} domains`, `at most ${domainLimit}`)
  return domains
}

/** What is not passed stays; a preference that is null goes. */
function changed(now: CompanySettings, change: Change): CompanySettings {
  const all = Object.entries({ ...now.prefs, ...change.prefs })
  const prefs = all.filter((pair): pair is [string, string | number | boolean] => pair[1] !== null)
  if (prefs.length > prefLimit)
    throw new ApiError(
      'invalid_body',
      `prefs would have ${prefs.length} entries. Allowed: ${prefLimit}; set some to null. Nothing was changed.`,
      { details: { field: 'prefs', value: prefs.length, allowed: prefLimit } },
    )
  return {
    ...now,
    prefs: Object.fromEntries(prefs),
    defaultCompanyRole: change.defaultCompanyRole ?? now.defaultCompanyRole,
    defaultTeamRole: change.defaultTeamRole ?? now.defaultTeamRole,
  }
}
