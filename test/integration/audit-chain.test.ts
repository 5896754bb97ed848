import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAudit, type Audit } from '../../controller/audit/audit.ts'
import { createAuditHasher } from '../../controller/audit/entry.ts'
import { openAuditChains } from '../../controller/store/audit.ts'
import { openRedis, type Redis } from '../../controller/store/redis.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

const all = { from: 1, to: 10_000 }
let redis: TestRedis
const connections: Redis[] = []
const hasher = createAuditHasher({ auditKey: randomBytes(32).toString('base64') })

beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(async () => {
  for (const connection of connections) connection.disconnect()
  await redis?.[Symbol.asyncDispose]()
})

/** The audit of one controller, with a connection of its own, and what it logs. */
function controllersAudit() {
  const connection = openRedis(redis.url)
  connections.push(connection)
  const lines: Record<string, unknown>[] = []
  const logger = pino(
    { level: 'error' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  const chains = openAuditChains(connection)
  return { audit: openAudit({ chains, hasher, logger }), chains, lines, connection }
}

const record = (audit: Audit, name: string, companyId: string | undefined = 'acme') =>
  audit.record({
    action: 'attack.create',
    actor: { kind: 'user', id: 'u1', name },
    from: '10.0.0.1',
    companyId,
    detail: { n: 1 },
  })

test('two controllers write 500 entries at once: none is lost, the chain is one', async () => {
  const [one, two] = [controllersAudit(), controllersAudit()]
  const names = Array.from({ length: 500 }, (_, index) => `user-${index}`)
  await Promise.all(names.map((name, index) => record((index % 2 ? one : two).audit, name)))
  const entries = await one.chains.read('acme', all)
  expect(entries.map(({ actor }) => actor.name).toSorted()).toEqual(names.toSorted())
  expect(entries.map(({ sequence }) => sequence)).toEqual(names.map((_, index) => index + 1))
  expect(entries.every((entry) => hasher.matches(entry))).toBe(true)
  expect(entries.map(({ previous }) => previous)).toEqual([
    null,
    ...entries.slice(0, -1).map(({ hash }) => hash),
  ])
  const times = entries.map(({ time }) => time)
  expect(times).toEqual(times.toSorted())
  // Each head that was logged is an entry of the chain, and the last one is the last.
  const heads = [...one.lines, ...two.lines].map(
    (line) => line['audit_head'] as { chain: string; sequence: number; hash: string },
  )
  for (const { chain, sequence, hash } of heads)
    expect({ chain, hash }).toEqual({ chain: 'acme', hash: entries[sequence - 1]?.hash })
  expect(Math.max(...heads.map(({ sequence }) => sequence))).toBe(500)
})

test('what comes while an answer is lost is in the chain as well, and nothing twice', async () => {
  const { chains } = controllersAudit()
  const isLost = Promise.withResolvers<void>()
  let appends = 0
  const audit = openAudit({
    hasher,
    logger: pino({ level: 'silent' }),
    chains: {
      ...chains,
      async append(...given) {
        const appended = await chains.append(...given)
        appends += 1
        if (appends > 1) return appended
        await isLost.promise
        throw new Error('The connection broke.')
      },
    },
  })
  const first = record(audit, 'first', 'lossy')
  const others = [record(audit, 'second', 'lossy'), record(audit, 'third', 'lossy')]
  isLost.resolve()
  await Promise.all([first, ...others])
  const names = async () =>
    (await chains.read('lossy', all)).map((entry) => [entry.sequence, entry.actor.name])
  const wanted = [
    [1, 'first'],
    [2, 'second'],
    [3, 'third'],
  ]
  await expect.poll(names, { timeout: 15_000 }).toEqual(wanted)
  await record(audit, 'fourth', 'lossy')
  expect(await names()).toEqual([...wanted, [4, 'fourth']])
})

test('each company has a chain of its own, and the installation one', async () => {
  const { audit, chains } = controllersAudit()
  await record(audit, 'a', 'company-a')
  await record(audit, 'b', 'company-b')
  await audit.record({
    action: 'session.login',
    actor: { kind: 'claimed', id: null, name: 'x'.repeat(5_000) },
  })
  expect(await chains.read('company-a', all)).toMatchObject([
    { sequence: 1, company_id: 'company-a', actor: { name: 'a' } },
  ])
  expect(await chains.read('company-b', all)).toHaveLength(1)
  const [entry] = await chains.read(undefined, all)
  expect(entry).toMatchObject({ company_id: null, previous: null })
  expect(entry?.actor.name.length).toBeLessThan(310)
})

test('a flood of refusals leaves some entries and their count, what succeeds is always there', async () => {
  const connection = openRedis(redis.url)
  connections.push(connection)
  const refusals = { burst: 10, everyMs: 60_000, countMs: 60_000 }
  const chains = openAuditChains(connection)
  const audit = openAudit({ chains, hasher, logger: pino({ level: 'silent' }), refusals })
  const login = (n: number, result: 'ok' | 'refused') =>
    audit.record({
      action: 'session.login',
      actor: { kind: 'claimed', id: null, name: `user-${n}@example.com` },
      companyId: 'flood',
      result,
      ...(result === 'refused' ? { code: 'unknown_user' } : {}),
    })
  const numbers = Array.from({ length: 1_000 }, (_, index) => index)
  await Promise.all(numbers.map((n) => login(n, n % 100 === 0 ? 'ok' : 'refused')))
  await audit.close()
  const entries = await chains.read('flood', all)
  expect(entries.filter(({ result }) => result === 'ok')).toHaveLength(10)
  expect(entries.filter(({ result }) => result === 'refused')).toHaveLength(11)
  expect(entries.at(-1)?.detail).toMatchObject({ times: 980 })
})

test('what cannot be appended is in the log at once and in the chain later, in its order', async () => {
  const { audit, chains, lines, connection } = controllersAudit()
  await record(audit, 'before', 'away')
  connection.disconnect()
  await Promise.all(['first', 'second'].map((name) => record(audit, name, 'away')))
  const logged = lines.flatMap((line) => line['audit_entry'] ?? [])
  expect(logged).toMatchObject([{ actor: { name: 'first' } }, { actor: { name: 'second' } }])
  await connection.connect()
  await audit.close()
  const entries = await chains.read('away', all)
  expect(entries.map(({ actor }) => actor.name)).toEqual(['before', 'first', 'second'])
})
