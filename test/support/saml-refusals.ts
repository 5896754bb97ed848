import { expect } from 'vitest'
import type { AuditEntry } from '../../shared/api/audit.ts'
import type { Answer } from './http.ts'
import { newEmail, type TestController } from './in-process.ts'
import { problem } from './problem.ts'
import type { SamlCompany } from './saml-company.ts'
import type { ResponseOptions } from './saml-idp.ts'
import { forget, namesIn } from './redis.ts'

/** Ways to see that a response lets nobody in while its untouched twin does. */
export interface Refusals {
  /** The codes that wait for their session. */
  codes(): Promise<string[]>
  /** Posts it; no user, role, code, session or success in the audit may come of it, only a trace. */
  refused(email: string, check: string, work: () => Promise<Answer>): Promise<void>
  /** The edited message is refused; gives what the untouched one is answered. */
  twin(
    check: string,
    edit: (xml: string) => string,
    given?: Partial<ResponseOptions>,
    what?: 'assertion' | 'response' | 'both',
  ): Promise<number>
  /** What is asked for is refused; gives what the same with good values is answered. */
  refusedAs(check: string, given: Partial<ResponseOptions>): Promise<number>
}

/**
 * Forgets what earlier tests left. What an address may have refused in a minute, and ask, is less than these tests
 * have; and a code of theirs that expires meanwhile is none that comes or goes by what a test does.
 */
export async function forgetEarlier({ redis }: TestController): Promise<void> {
  await forget(redis, 'temblor:attempts:*', 'temblor:rate:*', 'temblor:saml-ticket:*')
}

export function refusalsOf(controller: TestController, company: SamlCompany): Refusals {
  const { store } = controller
  const named = async (pattern: string) => (await namesIn(controller.redis, pattern)).toSorted()
  const codes = () => named('temblor:saml-ticket:*')
  const sessions = () => named('temblor:session:*')
  const successesOf = async (email: string) => {
    const { items } = await company.admin.get<{ items: AuditEntry[] }>('/audit?pageSize=20')
    return items.filter((one) => one.result === 'ok' && JSON.stringify(one).includes(email))
  }
  const members = async () =>
    Object.fromEntries(
      (await store.members.list(company.company.id)).map((member) => [member.userId, member]),
    )
  const refused: Refusals['refused'] = async (email, check, work) => {
    const [before, membersBefore] = [await codes(), await members()]
    const sessionsBefore = await sessions()
    const traces = await company.failures()
    const answer = await work()
    expect(problem(answer)).toEqual({ status: 401, code: 'sso_refused' })
    expect(answer.text).not.toContain(email)
    expect(await codes()).toEqual(before)
    expect(await members()).toEqual(membersBefore)
    expect(await sessions()).toEqual(sessionsBefore)
    expect(await successesOf(email)).toEqual([])
    expect(await store.users.findByEmail(email)).toBeUndefined()
    const [trace] = await company.failures()
    expect(trace).toMatchObject({ check, from: '127.0.0.1' })
    expect(traces.map(({ request_id }) => request_id)).not.toContain(trace?.request_id)
  }
  return {
    codes,
    refused,
    async twin(check, edit, given = {}, what = 'assertion') {
      const email = newEmail('victim')
      const xml = company.build({ email, ...given }, { what })
      const hostile = edit(xml)
      expect(hostile).not.toBe(xml)
      await refused(email, check, () => company.post(hostile))
      return (await company.post(xml)).status
    },
    async refusedAs(check, given) {
      const email = newEmail('victim')
      await refused(given.email ?? email, check, () =>
        company.post(company.build({ email, ...given })),
      )
      return (await company.post(company.build({ email }))).status
    },
  }
}
