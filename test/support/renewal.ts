import { expect } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { apiOf, type Api } from './api.ts'
import { request, type Answer } from './http.ts'
import { newEmail, personsPassword, type TestController } from './in-process.ts'

/** How a renewal is sent. */
export interface How {
  readonly baseUrl?: string
  readonly method?: string
  readonly path?: string
  /** The Idempotency-Key. */
  readonly key?: string
}

/** One person who signs in and renews sessions. */
export interface Renewer {
  readonly email: string
  signIn(query?: string, baseUrl?: string): Promise<Session>
  /** Renews a session; `more` replaces fields of the form. */
  renew(session: Session, more?: Record<string, string>, how?: How): Promise<Answer>
  /** The same, and it must succeed. */
  renewed(session: Session, how?: How): Promise<Session>
  api(session: Session): Api
  /** Of a request with the token of the session. */
  statusOf(session: Session): Promise<number>
}

/** The answer to whoever has no session. */
export const noSession = { status: 401, code: 'unauthenticated' }

/** Somebody with `personsPassword`. */
export function renewerOf(controller: TestController, email: string): Renewer {
  const api = (session: Session) => apiOf(controller.baseUrl, session)
  const renew: Renewer['renew'] = (session, more = {}, how = {}) => {
    const isOrg = how.path === '/users/renew'
    const where = isOrg ? { orgId: session.org_id } : { companyId: session.company_id }
    const url = `/v1${how.path ?? '/users/renew/rbac'}`
    return request(how.baseUrl ?? controller.baseUrl, how.method ?? 'POST', url, {
      form: { email, ...where, renewToken: session.renew_token, ...more },
      ...(how.key ? { headers: { 'idempotency-key': how.key } } : {}),
    })
  }
  return {
    email,
    api,
    renew,
    async signIn(query = '', baseUrl = controller.baseUrl) {
      const form = { email, password: personsPassword }
      const answer = await request(baseUrl, 'POST', `/v1/users/auth${query}`, { form })
      expect(answer.status).toBe(200)
      return [answer.json as Session[]].flat()[0] as Session
    },
    async renewed(session, how = {}) {
      const answer = await renew(session, {}, how)
      expect(answer).toMatchObject({ status: 200 })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      return answer.json as Session
    },
    statusOf: async (session) => (await api(session).send('GET', '/users/self')).status,
  }
}

/** Somebody new, in the only team of a company of their own. */
export async function addRenewer(
  controller: TestController,
): Promise<{ company: Company; team: Team; email: string; ann: Renewer }> {
  const company = await controller.store.companies.addCompany(newEmail('Company'))
  const team = await controller.store.companies.addTeam(company, 'First')
  const email = newEmail('ann')
  await controller.add(company.id, { email, teams: { [team.id]: ['TEAM_USER'] } })
  return { company, team, email, ann: renewerOf(controller, email) }
}
