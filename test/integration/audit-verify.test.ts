import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAudit, type Audit } from '../../controller/audit/audit.ts'
import { createAuditHasher } from '../../controller/audit/entry.ts'
import { readLoggedHeads } from '../../controller/audit/logged-heads.ts'
import { verifyChain, type Finding } from '../../controller/audit/verify.ts'
import { cutChain } from '../../controller/jobs/audit-care.ts'
import { openAuditChains, type AuditChains } from '../../controller/store/audit.ts'
import { keys } from '../../controller/store/keys.ts'
import type { AuditEntry } from '../../shared/api/audit.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

/** Chains in Redis that somebody with all access to Redis changes; the log and the key are out of reach. */

const auditKey = randomBytes(32).toString('base64')
const hasher = createAuditHasher({ auditKey })
const dir = mkdtempSync(join(tmpdir(), 'temblor-audit-'))
const logFile = join(dir, 'controller.log')
let redis: TestRedis
let chains: AuditChains
let audit: Audit

beforeAll(async () => {
  redis = await startTestRedis()
  chains = openAuditChains(redis.redis)
  const logger = pino({ level: 'warn' }, pino.destination({ dest: logFile, sync: true }))
  audit = openAudit({ chains, hasher, logger })
})
afterAll(async () => {
  await audit?.close()
  await redis?.[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

const record = (companyId: string, name: string) =>
  audit.record({
    action: 'attack.create',
    actor: { kind: 'user', id: null, name },
    from: '10.1.2.3',
    companyId,
    detail: { args: '-l 60' },
  })
let made = 0
/** A chain of ten entries, by the name of its company. */
const tenEntries = async () => {
  const companyId = `company-${(made += 1)}`
  for (let n = 1; n <= 10; n += 1) await record(companyId, `user ${n}`)
  return companyId
}
const verify = async (companyId: string, logs: string[] = [logFile]) => {
  const before = await chains.head(companyId)
  const heads = { before, after: () => chains.head(companyId) }
  const texts = chains.texts(companyId)
  return await verifyChain({ chain: companyId, texts, heads }, hasher, await readLoggedHeads(logs))
}
const kindsOf = ({ findings }: { findings: readonly Finding[] }) => findings.map(({ kind }) => kind)
const read = (companyId: string) => chains.read(companyId, { from: 1, to: 100 })
/** Replaces what is stored of a chain by these entries, in this order. */
const store = async (companyId: string, entries: readonly AuditEntry[]) => {
  const key = keys.audit(companyId)
  await redis.redis.del(key)
  let place = 0
  for (const entry of entries)
    await redis.redis.xadd(key, `${(place += 1)}-0`, 'entry', JSON.stringify(entry))
}
const setHead = (companyId: string, { sequence, hash }: AuditEntry) =>
  redis.redis.hset(keys.auditHead(companyId), { sequence, hash })
const nth = (entries: readonly AuditEntry[], n: number) => entries[n - 1] as AuditEntry

const tamperings: [string, string[], (entries: AuditEntry[], id: string) => unknown][] = [
  [
    'a changed field',
    ['changed'],
    (all, id) =>
      store(
        id,
        all.map((one) =>
          one.sequence === 4 ? { ...one, actor: { ...one.actor, name: 'somebody else' } } : one,
        ),
      ),
  ],
  [
    'a changed time',
    ['changed'],
    (all, id) =>
      store(
        id,
        all.map((one) => (one.sequence === 4 ? { ...one, time: '2026-01-01T00:00:00.000Z' } : one)),
      ),
  ],
  ['entries that are gone', ['removed'], (all, id) => store(id, all.toSpliced(4, 2))],
  ['a beginning that is gone', ['removed'], (all, id) => store(id, all.slice(3))],
  [
    'entries out of order',
    ['removed', 'inserted'],
    (all, id) => {
      const [a, b] = [nth(all, 5), nth(all, 6)]
      return store(id, [...all.slice(0, 4), b, a, ...all.slice(6)])
    },
  ],
  [
    'an entry twice',
    ['inserted'],
    (all, id) => store(id, [...all.slice(0, 6), nth(all, 3), ...all.slice(6)]),
  ],
  [
    'a made-up entry',
    ['changed', 'inserted'],
    (all, id) => store(id, [...all.slice(0, 6), { ...nth(all, 6), id: 'x' }, ...all.slice(6)]),
  ],
  [
    'what is no entry',
    ['unreadable'],
    (all, id) => store(id, [...all.slice(0, 6), 'nonsense' as never, ...all.slice(6)]),
  ],
  ['a tail that is cut off, the head left', ['cut'], (all, id) => store(id, all.slice(0, 7))],
  [
    'a tail that is cut off, the head moved',
    ['cut'],
    async (all, id) => {
      await store(id, all.slice(0, 7))
      await setHead(id, nth(all, 7))
    },
  ],
  ['a chain that is gone', ['cut'], (_, id) => redis.redis.del(keys.audit(id), keys.auditHead(id))],
  [
    'an entry behind the head',
    ['changed', 'inserted'],
    (all, id) =>
      store(id, [...all, { ...nth(all, 10), sequence: 11, previous: nth(all, 10).hash }]),
  ],
  [
    'a head that is another',
    ['rewritten'],
    async (all, id) => {
      await setHead(id, { ...nth(all, 10), hash: 'x' })
    },
  ],
]

describe('found is', () => {
  test.each(tamperings)('%s', async (_, kinds, tamper) => {
    const [id, twin] = [await tenEntries(), await tenEntries()]
    await tamper(await read(id), id)
    const verdict = await verify(id)
    expect({ kinds: [...new Set(kindsOf(verdict))].toSorted(), verdict }).toMatchObject({
      kinds: kinds.toSorted(),
      verdict: { intact: false },
    })
    expect(await verify(twin)).toEqual({
      chain: twin,
      intact: true,
      entries: 10,
      first: 1,
      last: 10,
      heads: 10,
      findings: [],
    })
  })

  test('an entry of another company', async () => {
    const [id, other] = [await tenEntries(), await tenEntries()]
    const [all, theirs] = [await read(id), await read(other)]
    await store(
      id,
      all.map((one) => (one.sequence === 5 ? nth(theirs, 5) : one)),
    )
    expect(kindsOf(await verify(id))).toContain('moved')
    expect((await verify(other)).intact).toBe(true)
  })

  test('a chain that was written anew by somebody who has the key, by the log alone', async () => {
    const id = await tenEntries()
    const all = await read(id)
    let before: AuditEntry | undefined
    const anew = all.map((one) => {
      const { hash: _, ...entry } = { ...one, from: '10.9.9.9', previous: before?.hash ?? null }
      before = { ...entry, hash: hasher.hash(entry) }
      return before
    })
    await store(id, anew)
    await setHead(id, nth(anew, 10))
    expect(kindsOf(await verify(id, []))).toEqual([])
    expect(new Set(kindsOf(await verify(id)))).toEqual(new Set(['rewritten']))
  })

  test('what another key hashed', async () => {
    const id = await tenEntries()
    const other = createAuditHasher({ auditKey: randomBytes(32).toString('base64') })
    const texts = chains.texts(id)
    const verdict = await verifyChain({ texts }, other, await readLoggedHeads([]))
    expect(kindsOf(verdict)).toEqual(Array<string>(10).fill('changed'))
    expect(verdict.findings[0]?.message).toMatch(/key file/)
  })
})

/** As another program writes it: the order of the fields does not matter. */
const lines = async function* (entries: readonly AuditEntry[]) {
  for (const entry of entries)
    yield JSON.stringify(Object.fromEntries(Object.entries(entry).toReversed()))
}

test('an export is verified as it is, re-encoded, and as a part', async () => {
  const id = await tenEntries()
  const heads = await readLoggedHeads([logFile])
  const all = await read(id)
  expect(await verifyChain({ texts: lines(all) }, hasher, heads)).toMatchObject({
    chain: id,
    intact: true,
    heads: 10,
  })
  const part = { texts: lines(all.slice(3, 8)), isPart: true }
  expect((await verifyChain(part, hasher, heads)).intact).toBe(true)
  expect(
    kindsOf(
      await verifyChain({ ...part, texts: lines(all.slice(3, 8)), isPart: false }, hasher, heads),
    ),
  ).toEqual(['removed', 'cut'])
})

test('what was due to go is missing rightly, and no more than that', async () => {
  const id = await tenEntries()
  const all = await read(id)
  const tenth = Date.parse(nth(all, 10).time)
  await until('the clock goes on', async () => Date.now() > tenth + 5)
  await record(id, 'later')
  const care = { store: { audit: chains, companies: undefined as never }, audit }
  await cutChain(care, id, tenth + 1)
  expect((await read(id)).map(({ action, sequence }) => [action, sequence])).toEqual([
    ['attack.create', 11],
    ['audit.cut', 12],
  ])
  expect(await verify(id)).toMatchObject({ intact: true, entries: 2, first: 11, last: 12 })
  // Nothing more is due.
  await cutChain(care, id, tenth + 1)
  expect(await read(id)).toHaveLength(2)
  await redis.redis.xdel(keys.audit(id), '11-0')
  expect(kindsOf(await verify(id))).toEqual(['removed'])
})

test('lines that are no heads, and what a log collector put before them, do no harm', async () => {
  const id = await tenEntries()
  const messy = join(dir, 'messy.log')
  const head = { chain: id, sequence: 10, hash: nth(await read(id), 10).hash }
  writeFileSync(
    messy,
    `{"audit_head"\n\nNov 21 host temblor[1]: ${JSON.stringify({ audit_head: head })}\n{"a":1}\n`,
  )
  expect(await verify(id, [messy])).toMatchObject({ intact: true, heads: 1 })
})
