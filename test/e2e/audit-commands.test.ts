import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../shared/api/audit.ts'
import { openRedis } from '../../controller/store/redis.ts'
import { temblor, type Environment } from '../support/command.ts'
import { request } from '../support/http.ts'
import { startService, type Service } from '../support/service.ts'
import { until } from '../support/until.ts'

let service: Service
let asOwner: Environment
beforeAll(async () => {
  service = await startService()
  asOwner = { TEMBLOR_URL: service.baseUrl, TEMBLOR_TOKEN: service.owner.session.token }
  for (let round = 0; round < 5; round += 1)
    await service.owner.send('POST', '/orgs', { form: { name: `Team ${round}` } })
  const form = { email: 'nobody@example.com', password: 'wrong' }
  await request(service.baseUrl, 'POST', '/v1/users/auth', { form })
})
afterAll(() => service?.[Symbol.asyncDispose]())

const admin = (...args: string[]) =>
  temblor(['admin', 'audit', ...args], { TEMBLOR_DATA_DIR: service.dataDir })
const file = (name: string) => join(service.dataDir, name)

describe('temblor audit', () => {
  test('lists what was done, as a table and as JSON, by period, action and actor', async () => {
    const shown = await temblor(['audit', 'list', '--action', 'team.'], asOwner)
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.stdout.split('\n')[0]).toMatch(/^TIME +WHO +FROM +ACTION +RESULT +WHAT$/)
    expect(shown.stdout).toMatch(/owner@\S+ +127\.0\.0\.1 +team\.create +ok +Team 4\n/)
    const list = async (...args: string[]) => {
      const ended = await temblor(['audit', 'list', '--json', ...args], asOwner)
      expect(ended).toMatchObject({ code: 0 })
      return JSON.parse(ended.stdout) as AuditEntry[]
    }
    expect(await list('--action', 'team.create', '--limit', '2')).toHaveLength(2)
    expect(await list('--until', '2020-01-01')).toEqual([])
    expect((await list('--since', '1h')).length).toBeGreaterThan(6)
    expect((await list('--actor', service.local.owner.email)).length).toBeGreaterThan(5)
    for (const bad of [
      ['--since', 'soon'],
      ['--limit', '0'],
    ])
      expect((await temblor(['audit', 'list', ...bad], asOwner)).code).toBe(2)
  })

  test('exports JSON lines to stdout and to a file, never over one that is there', async () => {
    const printed = await temblor(['audit', 'export'], asOwner)
    const entries = printed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry)
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
    const written = await temblor(['audit', 'export', '--output', file('a.jsonl')], asOwner)
    expect(written).toMatchObject({ code: 0, stdout: `Written: ${file('a.jsonl')}\n` })
    expect(readFileSync(file('a.jsonl'), 'utf8').startsWith(printed.stdout)).toBe(true)
    expect((await temblor(['audit', 'export', '--output', file('a.jsonl')], asOwner)).code).toBe(1)
  })
})

describe('temblor admin audit', () => {
  test('exports the chain of the installation, where the sign-ins of nobody are', async () => {
    const all = await until('it is told', async () => {
      const { stdout } = await admin('export', '--installation')
      return stdout.includes('nobody@example.com') && stdout
    })
    expect(JSON.parse(all.split('\n')[0] ?? '')).toMatchObject({
      company_id: null,
      code: 'unknown_user',
    })
    expect((await admin('export')).code).toBe(2)
  })

  test('verifies what is stored and what was exported, by the log of the controller', async () => {
    const stored = await admin('verify')
    expect(stored.stdout).toMatch(
      /^installation: intact \(entries 1 to \d+, \d+ heads in the log\)/m,
    )
    expect(stored.stdout).toMatch(
      new RegExp(`^${service.local.company.id}: intact \\(entries 1 to \\d+, [1-9]`, 'm'),
    )
    expect(stored.code).toBe(0)
    await temblor(['audit', 'export', '--output', file('whole.jsonl')], asOwner)
    // The entry that tells of the export is the newest, and not in it.
    const exported = await admin('verify', '--file', file('whole.jsonl'), '--part', '--json')
    expect(exported.code).toBe(0)
    expect(JSON.parse(exported.stdout)).toMatchObject([{ intact: true, findings: [] }])
    expect((await admin('verify', '--file', file('nothing.jsonl'))).code).toBe(1)
    expect((await admin('verify', '--company', 'Nowhere')).code).toBe(2)
  })

  test('says with exit code 3 that the newest entries are gone, though their head is as well', async () => {
    const redis = openRedis(service.local.redisUrl)
    const tag = `temblor:{c:${service.local.company.id}}`
    const [newest, , third] = await redis.xrevrange(`${tag}:audit`, '+', '-', 'COUNT', 3)
    const entry = JSON.parse(third?.[1][1] ?? '') as AuditEntry
    const before = await redis.hgetall(`${tag}:audit-head`)
    const gone = await redis.xrange(`${tag}:audit`, `(${third?.[0]}`, '+')
    await redis.xdel(`${tag}:audit`, ...gone.map(([id]) => id))
    await redis.hset(`${tag}:audit-head`, { sequence: entry.sequence, hash: entry.hash })
    const cut = await admin('verify', '--company', service.local.company.name)
    expect(cut.stdout).toMatch(/NOT INTACT/)
    expect(cut.stdout).toContain(`the log knows of entry ${newest?.[0].split('-')[0]}`)
    expect(cut.code).toBe(3)
    await redis.hset(`${tag}:audit-head`, before)
    redis.disconnect()
  })
})
