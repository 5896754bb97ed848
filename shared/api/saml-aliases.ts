import { Type, type Static } from 'typebox'
import { companyRoles, teamRoles } from '../roles.ts'
import { defineRoute } from './route.ts'
import { Timestamp } from './timestamp.ts'

/** Aliases that one company may have. */
export const aliasLimit = 200

const AliasId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  description:
    'The value of `company:roles` that it stands for, such as the name or id of a group.',
})
const CompanyRoles = Type.Array(Type.Enum(companyRoles), { maxItems: companyRoles.length })
const TeamRoles = Type.Record(
  Type.String({ description: 'The id of a team of the company.' }),
  Type.Array(Type.Enum(teamRoles), { minItems: 1, maxItems: teamRoles.length }),
)

/** What a value of `company:roles` stands for that is not a role itself. */
export const SamlAlias = Type.Object(
  {
    companyId: Type.String({ format: 'uuid' }),
    aliasId: Type.String(),
    companyRoles: Type.Array(Type.String()),
    teamRoles: Type.Record(Type.String(), Type.Array(Type.String())),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'SamlAlias' },
)
export type SamlAlias = Static<typeof SamlAlias>

const path = '/companies/:companyId/saml/claim-aliases'
const OfCompany = Type.Object({
  companyId: Type.String({ description: 'The company of the session.' }),
})
const OfAlias = Type.Object({ ...OfCompany.properties, aliasId: Type.String() })
const tag = 'companies'
const given = {
  companyRoles: Type.Optional(CompanyRoles),
  teamRoles: Type.Optional(TeamRoles),
}

export const listSamlAliases = defineRoute({
  operationId: 'listSamlAliases',
  method: 'GET',
  path,
  tag,
  summary: 'The aliases of role claims, in alphabetical order.',
  access: 'COMPANY_SAMLCLAIM_ALIAS_READ',
  params: OfCompany,
  success: { status: 200, schema: Type.Object({ aliasIds: Type.Array(Type.String()) }) },
  errors: ['company_not_found'],
})

export const readSamlAlias = defineRoute({
  operationId: 'readSamlAlias',
  method: 'GET',
  path: `${path}/:aliasId`,
  tag,
  summary: 'What an alias of role claims stands for.',
  access: 'COMPANY_SAMLCLAIM_ALIAS_READ',
  params: OfAlias,
  success: { status: 200, schema: SamlAlias },
  errors: ['company_not_found', 'alias_not_found'],
})

export const createSamlAlias = defineRoute({
  operationId: 'createSamlAlias',
  audit: 'company.saml-alias',
  method: 'POST',
  path,
  tag,
  summary:
    'Let a value of `company:roles` stand for roles, where `samlAliasesEnabled`. One that is there stays as it is.',
  access: 'COMPANY_SAMLCLAIM_ALIAS_WRITE',
  params: OfCompany,
  body: Type.Object({ aliasId: AliasId, ...given }),
  success: { status: 200, schema: SamlAlias },
  errors: ['invalid_body', 'malformed_json', 'company_not_found', 'team_not_found', 'name_taken'],
})

export const updateSamlAlias = defineRoute({
  operationId: 'updateSamlAlias',
  audit: 'company.saml-alias',
  method: 'PUT',
  path: `${path}/:aliasId`,
  tag,
  summary: 'Set what an alias of role claims stands for, whether it is there or not.',
  access: 'COMPANY_SAMLCLAIM_ALIAS_WRITE',
  params: Type.Object({ ...OfCompany.properties, aliasId: AliasId }),
  body: Type.Object(given),
  success: { status: 200, schema: SamlAlias },
  errors: ['invalid_body', 'malformed_json', 'company_not_found', 'team_not_found'],
})

export const deleteSamlAlias = defineRoute({
  operationId: 'deleteSamlAlias',
  audit: 'company.saml-alias',
  method: 'DELETE',
  path: `${path}/:aliasId`,
  tag,
  summary: 'Remove an alias of role claims.',
  access: 'COMPANY_SAMLCLAIM_ALIAS_WRITE',
  params: OfAlias,
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['company_not_found', 'alias_not_found'],
})
