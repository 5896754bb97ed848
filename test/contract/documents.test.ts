import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as attacks from '../../shared/api/attacks.ts'
import * as clients from '../../shared/api/clients.ts'
import * as containers from '../../shared/api/containers.ts'
import * as metadata from '../../shared/api/metadata.ts'
import * as records from '../../shared/api/records.ts'
import { errorCatalogue } from '../../shared/api/errors.ts'
import type { RouteContract } from '../../shared/api/route.ts'
import * as serviceRoutes from '../../shared/api/service.ts'
import * as sessions from '../../shared/api/sessions.ts'
import { cpuAttack } from '../support/api.ts'
import { repository } from '../support/command.ts'
import { allContracts } from '../support/contracts.ts'
import { request } from '../support/http.ts'
import { startService, type Service } from '../support/service.ts'

const contracts = await allContracts()

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security?: unknown[]
  readonly responses: Record<string, { content?: Record<string, unknown> }>
}
interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
}

let service: Service
let document: Document

beforeAll(async () => {
  service = await startService()
  document = (await request(service.baseUrl, 'GET', '/v1/openapi.json')).json as Document
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** What is not as the schema says. */
function deviations(schema: TSchema, value: unknown): string[] {
  return [...Value.Errors(schema, value)].map((error) => JSON.stringify(error))
}

const inDocument = (contract: RouteContract) => {
  const path = contract.path.replaceAll(/:(\w+)/g, '{$1}')
  const item = document.paths[path] ?? document.paths[`/v1${path}`]
  return item?.[contract.method.toLowerCase()]
}

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1/)
  })

  test.each(contracts.map((contract) => [contract.operationId, contract] as const))(
    'lists %s with its summary, success, errors and privilege',
    (operationId, contract) => {
      const operation = inDocument(contract)
      expect(operation).toMatchObject({ operationId, summary: contract.summary })
      const { status, mediaType = 'application/json' } = contract.success
      expect(operation?.responses[status]?.content).toHaveProperty([mediaType])
      const expected = contract.errors.map((code) => String(errorCatalogue[code].status))
      expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(expected))
      expect(operation?.security).toEqual(
        contract.access === 'public'
          ? []
          : [contract.access].flat().map((privilege) => ({ session: [privilege] })),
      )
    },
  )

  test('lists nothing that is not there', async () => {
    const listed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => ['get', 'post', 'put', 'delete', 'patch'].includes(key))
        .map((method) => ({ method: method.toUpperCase(), path })),
    )
    expect(listed.length).toBe(contracts.length)
    for (const { method, path } of listed) {
      const url = `${path.startsWith('/v1') ? '' : '/v1'}${path.replaceAll(/\{\w+\}/g, 'x')}`
      const answer = await request(service.baseUrl, method, url)
      expect(answer.text).not.toContain('route_not_found')
    }
  })

  test('every error code is documented', () => {
    const texts = [
      JSON.stringify(document),
      ...globSync('docs/**/*.md', { cwd: repository }).map((file) =>
        readFileSync(join(repository, file), 'utf8'),
      ),
    ].join('\n')
    const missing = Object.keys(errorCatalogue).filter(
      (code) => !new RegExp(`\\b${code}\\b`).test(texts),
    )
    expect(missing).toEqual([])
  })
})

describe('answers keep to their schemas', () => {
  test.each([
    [attacks.listAttacks, '/attacks'],
    [clients.listClients, '/clients'],
    [clients.listActiveClients, '/clients/active'],
    [containers.listContainers, '/containers'],
    [metadata.readMetadata, '/metadata'],
    [sessions.readSelf, '/users/self'],
    [serviceRoutes.readHealth, '/health'],
  ] as [RouteContract, string][])('$operationId', async (contract, path) => {
    const answer = await service.owner.send('GET', path)
    expect(answer.status).toBe(200)
    expect(deviations(contract.success.schema, answer.json)).toEqual([])
  })

  test('an attack and its executions, from the first moment to the last', async () => {
    const api = service.owner
    const id = await api.attack(cpuAttack('-l 60 -p 5'))
    const check = async () => {
      expect(deviations(records.Attack, await api.readAttack(id))).toEqual([])
      const rows = await api.executions(id)
      expect(rows.flatMap((row) => deviations(records.Execution, row))).toEqual([])
    }
    await check()
    await api.running(id)
    await check()
    // Not by its length: it has to be seen while it runs.
    await api.halt(id)
    await api.finished(id)
    await check()
    const list = await api.get<unknown[]>('/attacks')
    expect(deviations(attacks.listAttacks.success.schema, list)).toEqual([])
  })

  test('a session', () => {
    expect(deviations(sessions.Session, service.owner.session)).toEqual([])
  })
})

describe('health', () => {
  test('names each part and how it is', async () => {
    const answer = await request(service.baseUrl, 'GET', '/v1/health')
    const health = answer.json as { status: string; parts: Record<string, { status: string }> }
    expect(answer).toMatchObject({ status: 200, json: { status: 'ok' } })
    const names = Object.keys(health.parts)
    expect(names).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/redis|storage/),
        expect.stringMatching(/agents|grpc/),
      ]),
    )
    expect(names.map((name) => health.parts[name]?.status)).not.toContain('failed')
  })

  test('needs no Authorization and minds none', async () => {
    const answer = await request(service.baseUrl, 'GET', '/v1/health', {
      headers: { authorization: 'Bearer nonsense' },
    })
    expect(answer.status).toBe(200)
  })
})
