import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AttackMetrics } from '../../shared/api/metrics.ts'
import type { Static } from 'typebox'
import { cpuAttack, type Api } from '../support/api.ts'
import { effectOf } from '../support/effect.ts'
import { addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
let api: Api
beforeAll(async () => {
  service = await startService()
  api = service.owner
})
afterAll(() => service?.[Symbol.asyncDispose]())

type Metrics = Static<typeof AttackMetrics>
const nobody = '00000000-0000-4000-8000-000000000000'
const tiny = cpuAttack('-l 1 -p 1')
const annotate = (id: string, json: unknown, by: Api = api) =>
  by.send('PUT', `/attacks/${id}/annotations`, { json })

test('annotations are kept part by part, and what is not passed stays', async () => {
  const id = await api.attack(tiny)
  expect(await api.readAttack(id)).toMatchObject({ annotations: null })
  const first = { notes: 'the shop held 🐌', otherAnnotations: { 'a.b': [1, { c: null }] } }
  const answer = await annotate(id, first)
  expect(answer).toMatchObject({ status: 200, json: { guid: id, annotations: first } })
  const metrics = { p99: 120.5, url: 'https://x.example' }
  expect(await annotate(id, { metrics, notes: null })).toMatchObject({ status: 200 })
  const whole = { ...first, metrics }
  expect((await api.readAttack(id)).annotations).toEqual(whole)
  expect(await annotate(id, {})).toMatchObject({ status: 200, json: { annotations: whole } })
  await annotate(id, { notes: '', otherAnnotations: {} })
  expect((await api.readAttack(id)).annotations).toEqual({
    notes: '',
    otherAnnotations: {},
    metrics,
  })
})

test('annotations do not move the attack', async () => {
  const id = await api.attack(tiny)
  await annotate(id, { notes: 'early' })
  expect(await api.finished(id)).toMatchObject([{ stage: 'Successful' }])
  const before = await api.readAttack(id)
  await annotate(id, { notes: 'late' })
  const { annotations, updated_at: _, ...after } = await api.readAttack(id)
  expect(annotations).toMatchObject({ notes: 'late' })
  expect(before).toMatchObject(after)
})

test('annotations that cannot be are refused, and the old ones stay', async () => {
  const id = await api.attack(tiny)
  await annotate(id, { notes: 'kept' })
  for (const body of [
    { notes: 5 },
    { notes: 'x'.repeat(20_001) },
    { otherAnnotations: [] },
    { metrics: 'x' },
    [],
    'text',
  ])
    expect(problem(await annotate(id, body))).toEqual({ status: 400, code: 'invalid_body' })
  expect((await api.readAttack(id)).annotations).toMatchObject({ notes: 'kept' })
  expect(problem(await annotate(nobody, { notes: 'x' }))).toMatchObject({ status: 404 })
  const { company, team } = service.local
  const viewer = await addUser(service, 'v@a.example', {
    company: company.name,
    team: team.name,
    teamRole: 'TEAM_VIEWER',
  })
  expect(problem(await annotate(id, { notes: 'x' }, viewer))).toMatchObject({ status: 403 })
})

test('two who annotate different parts at once both succeed', async () => {
  const id = await api.attack(tiny)
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([
      annotate(id, { notes: `n${round}` }),
      annotate(id, { metrics: { round } }),
      annotate(id, { otherAnnotations: { round } }),
    ])
    expect((await api.readAttack(id)).annotations).toEqual({
      notes: `n${round}`,
      metrics: { round },
      otherAnnotations: { round },
    })
  }
})

test('the series of an attack is what was measured, about once a second', async () => {
  const id = await api.attack(cpuAttack('-l 6 -p 20 -a'))
  const read = () => api.get<Metrics>(`/metrics/attacks/${id}`)
  expect((await read()).state).toMatch(/PENDING|PARTIAL/)
  await api.running(id)
  const early = await until(
    'the first points',
    async () => {
      const now = await read()
      return now.metricData.series.length >= 2 && now
    },
    15_000,
    apiPollMs,
  )
  expect(early).toMatchObject({ state: 'PARTIAL', attackRange: { end: null } })
  const [execution] = await api.finished(id)
  const metrics = await until(
    'the series is complete',
    async () => {
      const now = await read()
      return now.state === 'COMPLETE' && now
    },
    5_000,
    apiPollMs,
  )
  expect(metrics).toMatchObject({
    infraCommandType: 'cpu',
    chartTitle: expect.stringMatching(/cpu/i),
    unit: execution?.requested?.unit,
    lines: [{ executionId: execution?.guid, name: execution?.client_id }],
  })
  const [line] = metrics.lines
  expect(line?.requested).toBeCloseTo(20)
  const points = line?.series ?? []
  expect(points.length).toBeGreaterThanOrEqual(4)
  expect(points.length).toBeLessThanOrEqual(8)
  const times = points.map((point) => Date.parse(point.timestamp))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  for (const at of times) {
    expect(at).toBeGreaterThanOrEqual(Date.parse(metrics.attackRange.start) - 1000)
    expect(at).toBeLessThanOrEqual(Date.parse(metrics.attackRange.end ?? '') + 1000)
  }
  const middle = points.slice(1).map((point) => point.value)
  const mean = middle.reduce((sum, value) => sum + value, 0) / middle.length
  const effect = effectOf(execution)
  expect(effect).toMatchObject({ isAsAsked: true })
  expect(Math.abs(mean - effect.measured)).toBeLessThan(8)
  // Of two points that are heard in one second the mean is given.
  const seconds = new Set(times.map((at) => Math.floor(at / 1000)))
  expect(metrics.metricData.series.length).toBe(seconds.size)
})

test('an attack that was refused by its host, or is not there, has no series', async () => {
  expect(problem(await api.send('GET', `/metrics/attacks/${nobody}`))).toMatchObject({
    status: 404,
    code: 'attack_not_found',
  })
  const id = await api.attack(cpuAttack('-l 600 -p 1'))
  await api.halt(id)
  await api.finished(id)
  const { state, attackRange } = await api.get<Metrics>(`/metrics/attacks/${id}`)
  expect(['NO_DATA', 'COMPLETE']).toContain(state)
  expect(attackRange.end).toMatch(/Z$/)
})
