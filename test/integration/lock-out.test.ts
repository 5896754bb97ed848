import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRedis, type Redis } from '../../controller/store/redis.ts'
import { request, type Answer } from '../support/http.ts'
import { addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { quickestMs, takeAsLong } from '../support/quickest.ts'
import { startService, type Service } from '../support/service.ts'
import { forget } from '../support/redis.ts'

const password = 'correct horse battery staple'

let service: Service
let redis: Redis
beforeAll(async () => {
  service = await startService()
  redis = openRedis(service.local.redisUrl)
})
afterAll(async () => {
  redis?.disconnect()
  await service?.[Symbol.asyncDispose]()
})

const signIn = (email: string, given: string, headers: Record<string, string> = {}) =>
  request(service.baseUrl, 'POST', '/v1/users/auth', { form: { email, password: given }, headers })

/** This address makes more wrong tries here than any person would. */
async function forgetTries(): Promise<void> {
  await forget(redis, 'temblor:attempts:*')
}

const person = (name: string) =>
  addUser(service, `${name}@example.com`, {
    company: service.local.company.name,
    team: service.local.team.name,
  })

/** An answer without what differs from one request to the next. */
function stable(answer: Answer): unknown {
  const { error } = answer.json as { error: Record<string, unknown> }
  const names = [...answer.headers.keys()].toSorted()
  return { status: answer.status, ...error, requestId: 'any', names }
}

async function answersOf(email: string): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let n = 0; n < 7; n += 1) answers.push(stable(await signIn(email, 'wrong')))
  return answers
}
const isRefused = async (email: string) => expect((await signIn(email, 'wrong')).status).toBe(401)

describe('too many wrong tries', () => {
  test('lock the user out in every spelling; what he has goes on; others sign in', async () => {
    const ann = await person('ann')
    await person('bob')
    const spellings = ['ann@example.com', 'ANN@example.com', ' ann@example.com', 'Ann@Example.COM ']
    for (const [index, email] of [...spellings, 'ann@example.com'].entries()) {
      const headers = { 'x-forwarded-for': `10.9.8.${index}`, forwarded: `for=10.9.8.${index}` }
      expect(problem(await signIn(email, 'wrong', headers))).toMatchObject({ status: 401 })
    }
    for (const email of spellings) {
      const refused = await signIn(email, password, { 'x-forwarded-for': '10.9.8.77' })
      expect(problem(refused)).toEqual({ status: 429, code: 'locked_out' })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    }
    expect((await ann.send('GET', '/users/self')).status).toBe(200)
    expect((await ann.send('POST', '/halts', { json: { reason: 'still there' } })).status).toBe(202)
    expect((await signIn('bob@example.com', password)).status).toBe(200)
  })

  test('twenty in parallel are five', async () => {
    await forgetTries()
    await person('par')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signIn('par@example.com', 'wrong')),
    )
    const codes = answers.map((answer) => problem(answer).code)
    expect(codes.filter((code) => code === 'invalid_credentials').length).toBe(5)
    expect(problem(await signIn('par@example.com', password)).code).toBe('locked_out')
  })

  test('a right one before the fifth clears the count', async () => {
    await forgetTries()
    await person('clumsy')
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 4; n += 1)
        expect((await signIn('clumsy@example.com', 'wrong')).status).toBe(401)
      expect((await signIn('clumsy@example.com', password)).status).toBe(200)
    }
  })

  test('somebody who does not exist is locked out alike', async () => {
    await forgetTries()
    await person('real')
    const real = await answersOf('real@example.com')
    expect(await answersOf(`${randomUUID()}@example.com`)).toEqual(real)
    expect(real.at(-1)).toMatchObject({ status: 429 })
  })
})

test('an unknown user takes as long as a wrong password', async () => {
  await forgetTries()
  await person('slow')
  const ways = {
    known: () => isRefused('slow@example.com'),
    unknown: () => isRefused(`${randomUUID()}@example.com`),
  }
  const alike = (best: Record<keyof typeof ways, number>) => takeAsLong(best.unknown, best.known)
  expect(await quickestMs(ways, alike, forgetTries)).toSatisfy(alike)
})

test('a flood of sign-ins is turned away with 503 and does not hold up the API', async () => {
  await forgetTries()
  const api = await service.signIn()
  const flood = Promise.all(
    Array.from({ length: 95 }, () => signIn(`${randomUUID()}@example.com`, 'wrong')),
  )
  const times: number[] = []
  for (let n = 0; n < 20; n += 1) {
    const began = performance.now()
    expect((await api.send('GET', '/users/self')).status).toBe(200)
    times.push(performance.now() - began)
  }
  const answers = await flood
  const turnedAway = answers.filter((answer) => answer.status === 503)
  expect(turnedAway.length).toBeGreaterThan(0)
  for (const answer of turnedAway) {
    expect(problem(answer).code).toBe('too_many_logins')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(500)
  await forgetTries()
  expect((await service.signIn()).session.token).toBeTruthy()
})
