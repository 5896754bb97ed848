import { Type, type Static } from 'typebox'
import { AuthPreferences } from './auth-preferences.ts'
import { isPromotion } from '../role-rules.ts'
import { companyRoles, teamRoles } from '../roles.ts'
import { Client } from './clients.ts'
import { Nullable } from './nullable.ts'
import { OAuthSettings } from './oauth.ts'
import { defineRoute } from './route.ts'
import { SamlIdpPrefs } from './saml.ts'
import { Org } from './teams.ts'
import { TeamQuery } from './team-query.ts'
import { Timestamp } from './timestamp.ts'

/** Preferences that one company may keep. */
export const prefLimit = 50

const PrefValue = Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Boolean()])
const prefNames = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$'

/** Roles that are given without anybody choosing them: none of those that take a promotion. */
const DefaultCompanyRole = Type.Enum(companyRoles.filter((role) => !isPromotion(role)))
const DefaultTeamRole = Type.Enum(teamRoles.filter((role) => !isPromotion(role)))

/** A company. */
export const Company = Type.Object(
  {
    identifier: Type.String({ format: 'uuid' }),
    name: Type.String(),
    alias: Type.Null(),
    createdAt: Timestamp,
    entitlements: Type.Array(Type.String(), { description: 'Empty: everybody has everything.' }),
    prefs: Type.Record(Type.String(), PrefValue, {
      description: 'What its clients keep with it; it means nothing here.',
    }),
    defaultCompanyRole: Type.String({ description: 'Of whoever is invited.' }),
    defaultTeamRole: Type.String({ description: 'Of whoever is invited or added to a team.' }),
    domains: Type.Array(Type.String(), {
      description:
        'Of email addresses: who has one may join by the public identity provider without an invitation.',
    }),
    haltAllCoolDownEnd: Type.Null({ description: 'A halt of everything bars nothing afterwards.' }),
    authMethodPrefs: AuthPreferences,
    samlIdpPrefs: Nullable(SamlIdpPrefs),
    oauthSettings: Nullable(OAuthSettings),
    orgs: Type.Optional(Type.Array(Org, { description: 'Its teams, unless `skipTeams=true`.' })),
  },
  { title: 'Company' },
)
export type Company = Static<typeof Company>

const CompanyInPath = Type.Object({
  companyId: Type.String({ description: 'The company of the session.' }),
})

export const readCompany = defineRoute({
  operationId: 'readCompany',
  method: 'GET',
  path: '/companies/:companyId',
  tag: 'companies',
  summary: 'The company of the session, with its teams.',
  access: 'COMPANIES_READ',
  query: Type.Object({
    ...TeamQuery.properties,
    skipTeams: Type.Optional(Type.String({ pattern: '^([Tt]rue|[Ff]alse|)$' })),
  }),
  params: CompanyInPath,
  success: { status: 200, schema: Company },
  errors: ['company_not_found', 'invalid_body'],
})

export const updateCompany = defineRoute({
  operationId: 'updateCompany',
  audit: 'company.update',
  method: 'PATCH',
  path: '/companies/:companyId',
  tag: 'companies',
  summary:
    'Change preferences and default roles. What is not passed stays; a preference that is null goes.',
  access: 'COMPANY_PREFERENCES_WRITE',
  query: TeamQuery,
  params: CompanyInPath,
  body: Type.Object({
    prefs: Type.Optional(
      Nullable(
        Type.Object(
          {},
          {
            patternProperties: { [prefNames]: Nullable(PrefValue) },
            additionalProperties: false,
            maxProperties: prefLimit,
          },
        ),
      ),
    ),
    defaultCompanyRole: Type.Optional(Nullable(DefaultCompanyRole)),
    defaultTeamRole: Type.Optional(Nullable(DefaultTeamRole)),
  }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['company_not_found', 'invalid_body', 'malformed_json'],
})

/** Domains that one company may claim. */
export const domainLimit = 50

export const setCompanyDomain = defineRoute({
  operationId: 'setCompanyDomain',
  audit: 'company.domain',
  method: 'POST',
  path: '/companies/:companyId/prefs',
  tag: 'companies',
  summary:
    'Claim domains of email addresses in place of those before: who has one may join by the public identity provider without an invitation.',
  access: 'COMPANY_SECURITY_WRITE',
  query: TeamQuery,
  params: CompanyInPath,
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  body: Type.Object({
    domain: Type.String({
      maxLength: 4096,
      description: 'One, or several with commas in between; empty for none.',
    }),
  }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['company_not_found', 'invalid_body', 'malformed_json'],
})

export const listCompanyClients = defineRoute({
  operationId: 'listCompanyClients',
  method: 'GET',
  path: '/companies/:companyId/clients',
  tag: 'companies',
  summary:
    'The hosts of all teams with REPORTS_READ, else of those teams where the session has CLIENTS_READ.',
  access: 'COMPANIES_READ',
  query: TeamQuery,
  params: CompanyInPath,
  success: { status: 200, schema: Type.Array(Client) },
  errors: ['company_not_found'],
})
