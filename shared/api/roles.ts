import { Type, type Static } from 'typebox'
import { defineRoute } from './route.ts'

const Role = Type.Object({
  name: Type.String(),
  privileges: Type.Array(Type.String(), { description: 'What it allows, by name.' }),
})
const Privilege = Type.Object({
  name: Type.String(),
  roles: Type.Array(Type.String(), { description: 'The roles that give it.' }),
})
const byName = <S extends typeof Role | typeof Privilege>(schema: S) =>
  Type.Object({
    company: Type.Record(Type.String(), schema),
    team: Type.Record(Type.String(), schema),
  })

/** Every role and every privilege that there is, of companies and of teams. */
export const Roles = Type.Object(
  {
    customRoles: Type.Object(
      { company: Type.Object({}), team: Type.Object({}) },
      { description: 'Always empty: roles are not made by users.' },
    ),
    roles: byName(Role),
    privileges: byName(Privilege),
  },
  { title: 'Roles' },
)
export type Roles = Static<typeof Roles>

export const listRoles = defineRoute({
  operationId: 'listRoles',
  method: 'GET',
  path: '/roles',
  tag: 'roles',
  summary: 'Every role with the privileges it gives.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  success: { status: 200, schema: Roles },
  errors: [],
})
