import { attackTypeNames, findAttackType } from '../../shared/attacks/index.ts'
import { attackArgs } from './attack-args.ts'
import type { Random } from './random.ts'
import { fitting, hostileText, jsonText, spoil, type Schema } from './values.ts'

/** What requests are generated from. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly parameters: readonly { name: string; in: string; schema?: Schema }[]
  readonly body: { readonly type: string; readonly schema: Schema } | undefined
}

/** What is there to be named. */
export interface Known {
  readonly host: string
  readonly authorizations: readonly string[]
  readonly attackIds: readonly string[]
  readonly teamId: string
  /** Never named where it could be revoked. */
  readonly client: string
}

/** A request as it goes over the wire. */
export interface Generated {
  readonly operationId: string
  readonly kind: 'valid' | 'near' | 'hostile'
  readonly method: string
  readonly bytes: Buffer
  /** It is so wrong that closing the connection is an answer too. */
  readonly mayBeCut: boolean
}

/** Reads the operations of an OpenAPI document. */
export function readOperations(document: unknown): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, RawOperation>> }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const [body] = Object.entries(operation.requestBody?.content ?? {})
      return {
        method: method.toUpperCase(),
        path,
        operationId: operation.operationId,
        parameters: operation.parameters ?? [],
        body: body && { type: body[0], schema: body[1].schema },
      }
    }),
  )
}

interface RawOperation {
  readonly operationId: string
  readonly parameters?: Operation['parameters']
  readonly requestBody?: { readonly content: Record<string, { schema: Schema }> }
}

/** Passwords are hashed, slowly: sign-in is asked less often than the others. */
const rarely = 0.1

/** How often it is one of those that have `goodBodies`, however many others there are. */
const often = 0.15

/** Makes one request. */
export function generate(
  random: Random,
  operations: readonly Operation[],
  known: Known,
): Generated {
  const telling = operations.filter(({ operationId }) => operationId in goodBodies)
  let operation = random.pick(random.chance(often) ? telling : operations)
  while (operation.operationId === 'login' && !random.chance(rarely))
    operation = random.pick(operations)
  const kind = random.pick(['valid', 'near', 'near', 'hostile', 'hostile'] as const)
  const hostility = { valid: 0, near: 0.25, hostile: 0.6 }[kind]
  const method =
    kind === 'hostile' && random.chance(0.1)
      ? random.pick(['PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'POST', 'DELETE'])
      : operation.method
  const path =
    pathOf(random, { ...operation, method }, known, hostility) +
    queryOf(random, operation, known, hostility)
  const body = bodyOf(random, operation, kind, hostility)
  const isJunk = kind === 'hostile' && random.chance(0.15)
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...headersOf(random, operation, known, hostility),
    ...(isJunk ? [random.pick(junkHeaders)] : []),
  ]
  return {
    operationId: operation.operationId,
    kind,
    method,
    bytes: framed(random, head, body),
    mayBeCut: isJunk,
  }
}

/** Says how long the body is, in one of the ways that there are. */
function framed(random: Random, head: string[], body: ReturnType<typeof bodyOf>): Buffer {
  if (body.type !== undefined) head.push(`Content-Type: ${body.type}`)
  const isChunked = body.bytes.length > 0 && random.chance(0.1)
  if (isChunked) head.push('Transfer-Encoding: chunked')
  else if (body.bytes.length > 0 || random.chance(0.3))
    head.push(`Content-Length: ${body.bytes.length}`)
  const text = Buffer.from(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  return Buffer.concat([text, isChunked ? chunks(body.bytes) : body.bytes])
}

const junkHeaders = [
  'X-Junk: \u0001\u0002',
  'X-Long: ' + 'x'.repeat(20_000),
  'No colon at all',
  ': no name',
  'X-Space : x',
  'Content-Length: -1',
  'Content-Length: 1, 2',
  'Transfer-Encoding: nonsense',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Cookie: ' + 'a=b; '.repeat(500),
  'Accept-Encoding: *;q=0',
  'Host: other.example',
  'X-Forwarded-For: 1.2.3.4, ' + '5.6.7.8, '.repeat(200),
  'Origin: http://evil.example',
  'Range: bytes=0-0,-1',
  'If-None-Match: *',
  ...Array.from({ length: 3 }, () => 'X-Many: 1\r\n'.repeat(150).trimEnd()),
]

/** In a path or query: sometimes escaped as it should be, sometimes half or not at all. */
function escaped(random: Random, text: string, hostility: number): string {
  if (!random.chance(hostility)) {
    try {
      return encodeURIComponent(text)
    } catch {
      return '%ED%A0%80'
    }
  }
  const raw = text.slice(0, 8_000).replaceAll(/[\0-\x20\x7f-\uffff]/g, '%')
  return random.pick([raw, `${raw}%`, `%2e%2e%2f${raw}`, `${raw}/..`, `${raw}%E2%80%8B`])
}

function pathOf(random: Random, { path, method }: Operation, known: Known, hostility: number) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const good = name === 'guid' ? random.pick(known.attackIds) : known.client
    // Whoever revokes the host ends the service.
    const isSafe = name === 'guid' || method === 'GET'
    const text = isSafe && !random.chance(hostility) ? good : `no-${hostileText(random)}`
    return escaped(random, text, hostility / 2)
  })
  if (!random.chance(hostility / 2)) return filled
  const strange = random.pick([
    `${filled}/`,
    `${filled}//`,
    filled.replaceAll('/', '%E2%80%8B/'),
    filled.replace('/v1', '/v1/.'),
    filled.toUpperCase(),
    `${filled};a=b`,
    `http://other.example${filled}`,
    filled.replace('/v1/', '/v2/'),
  ])
  return strange.startsWith('/') || strange.startsWith('http') ? strange : `/${strange}`
}

function queryOf(random: Random, operation: Operation, known: Known, hostility: number): string {
  const pairs = operation.parameters
    .filter((one) => one.in === 'query' && (random.chance(0.4) || one.name === 'taskId'))
    .map(({ name, schema }) => {
      const good =
        name === 'teamId'
          ? known.teamId
          : name === 'taskId'
            ? random.pick(known.attackIds)
            : random.pick(['1', '3', 'adhoc', '2026-01-01', String(fitting(random, schema ?? {}))])
      const text = random.chance(hostility) ? hostileText(random) : good
      return `${name}=${escaped(random, text, hostility / 3)}`
    })
  if (random.chance(hostility / 2))
    pairs.push(random.pick(['', '=', 'a', '&', 'teamId=', 'x[y]=1', '__proto__=1', 'pageSize=1']))
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

function headersOf(random: Random, operation: Operation, known: Known, hostility: number) {
  const authorization = random.chance(hostility / 4)
    ? random.pick(['', 'Bearer', 'Bearer x', 'Key x', 'Basic dTpw', `Bearer ${'x'.repeat(3_000)}`])
    : random.pick(known.authorizations)
  const headers = [`Host: ${known.host}`, `Authorization: ${authorization}`]
  for (const { name, in: where } of operation.parameters) {
    if (where !== 'header' || random.chance(0.5)) continue
    const text = random.chance(hostility)
      ? hostileText(random).replaceAll(/[\r\n\0]/g, '')
      : random.pick(['0-1', '1-0', `key-${random.int(0, 50)}`])
    headers.push(`${name}: ${text.slice(0, 6_000)}`)
  }
  if (random.chance(0.2))
    headers.push(`X-Gremlin-Agent: ${random.pick(['spinnaker/1', 'x', '/', ','])}`)
  return headers
}

const attack = (target: object, args = ['-l', '1', '-p', '1']) => ({
  command: { type: 'cpu', args },
  target,
})
const attacks: readonly unknown[] = [
  attack({ type: 'Random' }),
  attack({ type: 'Random', tags: { 'os-type': 'Linux' }, exact: null, hosts: 'all' }),
  attack({ type: 'Random', percent: 100, hosts: { multiSelectTags: { 'os-type': ['Linux'] } } }),
  attack({ type: 'Random', exact: '1', containers: null, multiSelectTags: {} }, []),
  attack({ type: 'Exact', exact: ['a', 'b'] }, ['--length=5', '--all-cores']),
  attack({ type: 'Random', tags: { constructor: 'x', toString: 'y' } }),
  { ...attack({ type: 'Random' }), labels: {}, annotations: { a: [1] } },
  { command: { type: 'cpu', args: null }, target: { type: 'Random' }, labels: null },
]

/** What the schemas alone seldom hit: bodies that are carried out. */
const goodBodies: Record<string, readonly unknown[]> = {
  createAttack: attacks,
  previewAttack: attacks,
  matchContainers: [{ isAll: true }, { ids: ['a'] }, { multiSelectLabels: { app: ['web'] } }],
}

const strangeTypes = [
  'text/xml',
  'text/plain',
  'application/octet-stream',
  'multipart/form-data',
  'application/json; charset=utf-16',
  'application/json; charset=nonsense',
  'application/json;;;',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  '',
  ',',
  'a/b/c',
]

function bodyOf(
  random: Random,
  operation: Operation,
  kind: Generated['kind'],
  hostility: number,
): { type: string | undefined; bytes: Buffer } {
  const { body } = operation
  if (!hasBody(random, operation, hostility)) return { type: undefined, bytes: Buffer.alloc(0) }
  const value = valueOf(random, operation, kind)
  const isForm = body?.type.includes('urlencoded') && !random.chance(hostility)
  const text = isForm
    ? formText(random, Object(value) as object)
    : jsonText(random, value, kind === 'hostile' ? 0.4 : 0)
  const isStrange = random.chance(hostility / 3)
  const type = isStrange ? random.pick(strangeTypes) : (body?.type ?? 'application/json')
  const bytes = Buffer.from(text, random.chance(hostility / 10) ? 'latin1' : 'utf8')
  return { type, bytes: bytes.subarray(0, 300_000) }
}

function hasBody(random: Random, { body, method }: Operation, hostility: number): boolean {
  if (body && !random.chance(hostility / 5)) return true
  return method !== 'GET' && random.chance(hostility / 2)
}

function valueOf(random: Random, { body, operationId }: Operation, kind: Generated['kind']) {
  const goods = goodBodies[operationId]
  const isGood = goods && random.chance(0.6)
  const value = isGood
    ? withAnyCommand(random, random.pick(goods))
    : fitting(random, body?.schema ?? {})
  if (kind === 'near') return spoil(random, value)
  return kind === 'hostile' ? spoil(random, spoil(random, value)) : value
}

/** An attack of the examples, or the same with another type and arguments for it. */
function withAnyCommand(random: Random, body: unknown): unknown {
  const type = findAttackType(random.pick(attackTypeNames))
  const isAttack = typeof body === 'object' && body !== null && 'command' in body
  if (!isAttack || !type || random.chance(0.4)) return body
  return { ...body, command: { type: type.type, args: attackArgs(random, type) } }
}

function formText(random: Random, value: object): string {
  const pairs = Object.entries(value).map(
    ([key, one]) => [key, typeof one === 'string' ? one : JSON.stringify(one)] as [string, string],
  )
  const text = new URLSearchParams(pairs).toString()
  return random.chance(0.1) ? `${text}&&=&%zz&${text}` : text
}

function chunks(bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
}
