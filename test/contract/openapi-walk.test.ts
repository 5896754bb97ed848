import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCatalogue } from '../../shared/api/errors.ts'
import type { SsoTest } from '../../shared/api/sso.ts'
import { privilegesOf } from '../../shared/roles.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { repository } from '../support/command.ts'
import {
  dockerSkipReason,
  targetContainers,
  untilKnown,
  type TargetContainers,
} from '../support/docker.ts'
import { request, type Answer } from '../support/http.ts'
import { addUser } from '../support/people.ts'
import { publicOperations } from '../support/public-operations.ts'
import { startService, type Service } from '../support/service.ts'
import { collisionsIn, setUpAgain } from './collisions.ts'
import { withSecondFactorFor } from './second-factors.ts'
import {
  badQuery,
  absent,
  documents,
  type Found,
  goodBody,
  invitedUser,
  isFull,
  isPublic,
  type OpenApi,
  operationsOf,
  pathOf,
  strangeMediaType,
  headOf,
  successOf,
  teamInvited,
  undocumented,
  walkedUser,
} from './documented.ts'
import { comeBack, withProviderOnly } from './oauth-walk.ts'
import { freshBody, otherSession } from './used-up.ts'

const viewerMay: ReadonlySet<string> = privilegesOf(['COMPANY_USER'], ['TEAM_CREDENTIAL_MANAGER'])

const nobody = '00000000-0000-4000-8000-000000000000'

let service: Service
let owner: Api
let viewer: Api
let agent: FurtherAgent
let containers: TargetContainers | undefined
let document: OpenApi
let operations: Found[]
/** What stands for the parameters of a path, where they are there. */
let known: Record<string, string>
/** Answers whose body is of another type than is documented. */
const strangeTypes: string[] = []

beforeAll(async () => {
  service = await startService()
  owner = service.owner
  const { company, team } = service.local
  const who = { company: company.name, team: team.name, teamRole: 'TEAM_CREDENTIAL_MANAGER' }
  viewer = await addUser(service, 'viewer@example.com', who)
  agent = startAgent('walk-b', service.local.join)
  await untilTargetable(owner, 'walk-b')
  let container = ''
  if (!dockerSkipReason) {
    containers = await targetContainers()
    const started = await containers.start({ app: 'walk' })
    await untilKnown(owner, [started])
    container = started.id
  }
  const id = await owner.attack(cpuAttack('-l 2 -p 1'))
  await owner.finished(id)
  await owner.send('POST', '/orgs', { form: { name: 'Walked' } })
  await owner.send('POST', '/apikeys', { json: { identifier: 'walk-key' } })
  const walked = await addUser(service, 'walked@example.com', { company: company.name })
  await walked.send('POST', '/apikeys', { json: { identifier: 'walk-key' } })
  const ofCompany = { companyId: company.id, email: 'walked@example.com', keyId: 'walk-key' }
  const ofAlias = { aliasId: 'walked-group' }
  known = {
    guid: id,
    client: 'walk-b',
    container,
    team: 'Walked',
    company: company.name,
    walked: walkedUser,
    invited: invitedUser,
    teamInvited,
    ...ofCompany,
    ...ofAlias,
  }
  await addUser(service, walkedUser, { company: company.name })
  document = (await request(service.baseUrl, 'GET', '/v1/openapi.json')).json as OpenApi
  const all = operationsOf(document)
  operations = [...all.filter((found) => !isEnd(found)), ...all.filter(isEnd)]
})
afterAll(async () => {
  await containers?.[Symbol.asyncDispose]()
  await agent?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

const isEnd = ({ operation }: Found) => operation.operationId === 'deleteTeam'
const bodyOf = (found: Found) => goodBody(service, found)
const withQuery = (path: string, pair: string) => `${path}${path.includes('?') ? '&' : '?'}${pair}`

/** What the document does not say of this answer. */
function check(found: Found, answer: Answer): string[] {
  strangeTypes.push(...strangeMediaType(found, answer))
  const { operationId } = found.operation
  return undocumented(document, found, answer).map((fault) => `${operationId} ${fault}`)
}

/** Provokes an answer of each of these operations; each must have this status and be documented. */
async function walk(
  status: (found: Found) => number,
  of: readonly Found[],
  provoke: (found: Found) => Promise<Answer>,
): Promise<string[]> {
  const faults = of.length > 0 ? [] : ['nothing to walk over']
  for (const found of of) {
    const answer = await provoke(found)
    if (answer.status !== status(found))
      faults.push(`${found.operation.operationId}: ${answer.status} ${answer.text.slice(0, 200)}`)
    faults.push(...check(found, answer))
  }
  return faults
}

test('every operation says who may, and the privilege is one that there is', () => {
  for (const { operation } of operations) {
    const scopes = operation.security?.flatMap((one) => one['session'] ?? [])
    expect({ id: operation.operationId, scopes }).toEqual({
      id: operation.operationId,
      scopes: expect.any(Array),
    })
    for (const scope of scopes ?? []) expect(scope).toMatch(/^[A-Z]+(_[A-Z]+)+$/)
  }
  const open = operations.filter(isPublic).map(({ operation }) => operation.operationId)
  expect(open.toSorted()).toEqual(publicOperations)
})

test('ids of operations are unique, parameters of paths are described', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const described = (operation.parameters ?? []).filter((one) => one.in === 'path')
    expect(described.map((one) => one.name)).toEqual(inPath)
  }
})

test('every error code stands in docs/api-errors.md with its status and what to do', () => {
  const text = readFileSync(join(repository, 'docs/api-errors.md'), 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| (.+?) *\|$/gm)]
  const listed = Object.fromEntries(
    rows.map(([, code = '', status, hint]) => [code, { status: Number(status), hint }]),
  )
  expect(listed).toEqual(errorCatalogue)
})

test('the success of every operation is as documented', async () => {
  // The first owner is made where nobody is yet, which test/integration/setup.test.ts does.
  const unable = new Set(['makeFirstOwner', ...(containers ? [] : ['readContainer'])])
  const able = operations.filter(({ operation }) => !unable.has(operation.operationId))
  expect(
    await walk(successOf, able, async (found) => {
      const { operationId } = found.operation
      const api = operationId === 'logout' ? await service.signIn() : owner
      if (operationId === 'endSession') known['sessionId'] = await otherSession(service)
      const path = pathOf(found, known)
      const fresh = await freshBody(service, operationId)
      if (fresh) return await api.send('POST', path, fresh)
      if (operationId === 'finishOAuthLogin') return await comeBack(service)
      if (operationId === 'watchTeam') return await headOf(api, path)
      const body = (await withSecondFactorFor(service, operationId)) ?? bodyOf(found)
      const answer = await api.send(found.method, path, body)
      if (operationId === 'startSsoTest') known['testId'] = (answer.json as SsoTest).testId
      return answer
    }),
  ).toEqual([])
  // It was deleted last; what follows needs it again.
  await owner.send('POST', '/orgs', { form: { name: 'Walked' } })
})

test('401: without a session, and wrong credentials', async () => {
  expect(
    await walk(
      () => 401,
      operations.filter((found) => documents(found, 401)),
      (found) =>
        request(
          service.baseUrl,
          found.method,
          `/v1${pathOf(found, { ...known, company: 'nobody' })}`,
          {
            ...bodyOf(found),
            ...(found.operation.operationId === 'login'
              ? { form: { email: 'a@b.c', password: 'x' } }
              : {}),
          },
        ),
    ),
  ).toEqual([])
})

test('403: another team, and a role without the privilege', async () => {
  const closed = operations.filter((found) => documents(found, 403))
  expect(
    await walk(
      () => 403,
      closed,
      async (found) => {
        const path = withQuery(pathOf(found, known), `teamId=${nobody}`)
        return await (
          found.operation.operationId === 'logout' ? await service.signIn() : owner
        ).send(found.method, path, bodyOf(found))
      },
    ),
  ).toEqual([])
  const scoped = closed.filter(({ operation }) => {
    const scopes = operation.security?.flatMap((one) => one['session'] ?? []) ?? []
    return !scopes.some((scope) => viewerMay.has(scope))
  })
  expect(
    await walk(
      () => 403,
      scoped,
      (found) => viewer.send(found.method, pathOf(found, known), bodyOf(found)),
    ),
  ).toEqual([])
})

test('404: what is not there', async () => {
  expect(
    await walk(
      () => 404,
      operations.filter((found) => documents(found, 404)),
      (found) =>
        owner.send(found.method, pathOf(found, {}), { ...bodyOf(found), ...absent(found) }),
    ),
  ).toEqual([])
})

test('400: a bad body, a bad query, a bad header', async () => {
  expect(
    await walk(
      () => 400,
      operations.filter((found) => documents(found, 400)),
      (found) => {
        const { operationId, requestBody } = found.operation
        const path = pathOf(found, known)
        if (requestBody) return owner.send(found.method, path, { json: 5 })
        if (operationId === 'listExecutions') return owner.send('GET', '/executions')
        if (operationId.startsWith('watch'))
          return owner.send(found.method, path, { headers: { 'last-event-id': 'x' } })
        return owner.send(found.method, withQuery(path, badQuery(found)), bodyOf(found))
      },
    ),
  ).toEqual([])
})

test('409: what there is already, and the same Idempotency-Key with another body', async () => {
  const headers = { 'idempotency-key': 'walk' }
  const collisions = collisionsIn(service)
  await owner.send('POST', '/attacks/new', { json: cpuAttack('-l 1 -p 2'), headers })
  await owner.send('POST', '/orgs', { form: { name: 'Other' } })
  const aliases = `/companies/${service.local.company.id}/saml/claim-aliases`
  await owner.send('PUT', `${aliases}/there`, { json: {} })
  expect(
    await walk(
      () => 409,
      operations.filter((found) => documents(found, 409) && !isFull(found)),
      (found) => {
        const collision = collisions[found.operation.operationId]
        const path = collision?.path ?? pathOf(found, known)
        const body = collision ? { json: collision.json } : bodyOf(found)
        if (found.operation.operationId === 'makeFirstOwner') return setUpAgain(service)
        const collide = () => owner.send(found.method, path, { ...body, headers })
        return found.operation.operationId === 'setOAuthSettings'
          ? withProviderOnly(service, collide)
          : collide()
      },
    ),
  ).toEqual([])
})

test('413 and 415: too much, and in another form', async () => {
  expect(
    await walk(
      () => 413,
      operations.filter((found) => documents(found, 413)),
      (found) =>
        owner.send(found.method, pathOf(found, known), { json: { a: 'x'.repeat(256 * 1024) } }),
    ),
  ).toEqual([])
  expect(
    await walk(
      () => 415,
      operations.filter((found) => documents(found, 415)),
      (found) =>
        owner.send(found.method, pathOf(found, known), {
          text: '<a/>',
          headers: { 'content-type': 'text/xml' },
        }),
    ),
  ).toEqual([])
})

test('every answer above has the media type that is documented for it', () => {
  expect([...new Set(strangeTypes)]).toEqual([])
})

test('a body is required exactly where one must be sent', async () => {
  const faults: string[] = []
  for (const found of operations.filter(({ operation }) => operation.requestBody)) {
    const answer = await owner.send(found.method, pathOf(found, known))
    const isRequired = found.operation.requestBody?.required === true
    if (answer.status < 300 === isRequired) faults.push(found.operation.operationId)
  }
  expect(faults).toEqual([])
})
