import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RouteContract } from '../../shared/api/route.ts'
import { auditActions } from '../../shared/audit-actions.ts'
import {
  companyPrivileges,
  companyRoles,
  isCompanyRole,
  privilegesOf,
  teamPrivileges,
  teamRoles,
  type CompanyRole,
  type Privilege,
  type TeamRole,
} from '../../shared/roles.ts'
import type { Api } from '../support/api.ts'
import { allContracts } from '../support/contracts.ts'
import { publicOperations } from '../support/public-operations.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'

/** Every route with every role: who lacks its privilege gets 403 with its name, everybody else does not. */

const everyRole: readonly (CompanyRole | TeamRole)[] = [...companyRoles, ...teamRoles]
let controller: TestController
let contracts: RouteContract[]

beforeAll(async () => {
  controller = await startTestController()
  contracts = await allContracts()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

/** Someone with this role alone, in a company of their own; a company role is held without a team. */
async function someoneWith(role: CompanyRole | TeamRole) {
  const { companies } = controller.store
  const company = await companies.addCompany(`Company ${role} ${randomUUID()}`)
  const team = await companies.addTeam(company, 'Team')
  const api = await controller.join(company, {
    email: newEmail(role.toLowerCase()),
    ...(isCompanyRole(role)
      ? { roles: [role] }
      : { roles: ['COMPANY_USER'], teams: { [team.id]: [role] } }),
  })
  const may = isCompanyRole(role)
    ? privilegesOf([role], [])
    : privilegesOf(['COMPANY_USER'], [role])
  return { company, team, api, may }
}

/** What ends the session or the team comes last. */
const endings = ['deleteTeam', 'logout']
const inOrder = () =>
  contracts.toSorted((a, b) => endings.indexOf(a.operationId) - endings.indexOf(b.operationId))

/** Status, code and text of an answer; of a stream only the beginning is read. */
async function ask(api: Api, contract: RouteContract, params: Record<string, string>) {
  const path = contract.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? randomUUID()),
  )
  const response = await fetch(`${controller.baseUrl}/v1${path}`, {
    method: contract.method,
    headers: { authorization: api.session.header },
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) {
    await response.body?.cancel()
    return { status: response.status, error: undefined }
  }
  const text = await response.text()
  const error =
    response.status < 400
      ? undefined
      : (JSON.parse(text) as { error: { code: string; message: string; details?: object } }).error
  return { status: response.status, error }
}

test('every route declares a privilege that there is; the public ones are known', () => {
  const known = new Set<string>([...companyPrivileges, ...teamPrivileges])
  expect(contracts.length).toBeGreaterThan(30)
  const isDeclared = ({ access }: RouteContract) => {
    const names: readonly unknown[] = [access].flat()
    return names.length > 0 && names.every((name) => typeof name === 'string' && known.has(name))
  }
  const others = contracts.filter((contract) => !isDeclared(contract))
  expect(others.filter(({ access }) => access !== 'public').map((one) => one.path)).toEqual([])
  expect(others.map(({ operationId }) => operationId).toSorted()).toEqual(publicOperations)
})

test.each(everyRole)('%s is let into its routes and into no other', async (role) => {
  const { company, team, api, may } = await someoneWith(role)
  const params = { companyId: company.id, team: team.id, email: newEmail('nobody') }
  const faults: unknown[] = []
  for (const contract of inOrder()) {
    if (contract.access === 'public') continue
    const needed = [contract.access].flat() as Privilege[]
    const { status, error } = await ask(api, contract, params)
    const isRefused = status === 403 && error?.code === 'forbidden'
    const isNamed = needed.every((name) => error?.message.includes(name))
    const mustBeRefused = !needed.some((name) => may.has(name))
    if (isRefused !== mustBeRefused || (isRefused && !isNamed) || status >= 500)
      faults.push({ operation: contract.operationId, needed, status, error })
  }
  expect(faults).toEqual([])
})

test('whatever changes something is called by a name in the audit, or is known to read only', () => {
  const changing = contracts.filter(({ method }) => method !== 'GET')
  const names = new Set<unknown>(Object.keys(auditActions))
  const unnamed = changing.filter(({ audit }) => audit !== false && !names.has(audit))
  expect(unnamed.map(({ operationId }) => operationId)).toEqual([])
  const reading = changing.filter(({ audit }) => audit === false)
  expect(reading.map(({ operationId }) => operationId).toSorted()).toEqual(readingOperations)
})

/** They change nothing although they are not GET, or are recorded where it shows in no answer's time. */
const readingOperations = [
  'matchContainers',
  'previewAttack',
  'readSamlIdpMetadata',
  'requestPasswordReset',
]
