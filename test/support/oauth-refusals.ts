import { expect } from 'vitest'
import { keys } from '../../controller/store/keys.ts'
import { auditOf } from './audit.ts'
import type { Answer } from './http.ts'
import type { TestController } from './in-process.ts'
import type { OAuthCompany } from './oauth-company.ts'
import { problem } from './problem.ts'
import { namesIn } from './redis.ts'

/**
 * Does something that must let nobody in: no user, role, session or success in the audit comes of it, the answer
 * tells nothing, and the trace of the company says which check failed.
 */
export async function refusedBy(
  controller: TestController,
  by: OAuthCompany,
  check: string,
  email: string,
  work: () => Promise<Answer>,
  method = 'oauth',
): Promise<void> {
  const { store, redis } = controller
  const { company, admin } = by
  const state = async () => ({
    members: (await store.members.list(company.id)).toSorted((a, b) =>
      a.userId.localeCompare(b.userId),
    ),
    users: await redis.hlen('temblor:user-ids'),
    sessions: (await namesIn(redis, 'temblor:session:*')).length,
    tickets: (await namesIn(redis, 'temblor:oauth-ticket:*')).toSorted(),
  })
  // Of those that prove nothing the audit is told only so many.
  await redis.del(keys.unprovenTold(company.id))
  const before = await state()
  const traces = (await by.failures()).map((one) => one.request_id)
  let answer: Answer | undefined
  const entries = await auditOf(() => admin).leaves(async () => {
    answer = await work()
  })
  expect(problem(answer as Answer)).toEqual({ status: 401, code: 'sso_refused' })
  expect(answer?.text).not.toContain(email)
  expect(answer?.headers.get('location')).toBeUndefined()
  expect(await state()).toEqual(before)
  expect(entries.map(({ result, code }) => ({ result, code }))).toEqual([
    { result: 'refused', code: check },
  ])
  const [trace] = await by.failures()
  expect(trace).toMatchObject({ check, method, from: '127.0.0.1' })
  expect(traces).not.toContain(trace?.request_id)
}
