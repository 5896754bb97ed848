import type { Session } from '../../shared/api/sessions.ts'
import { apiOf, type Api } from './api.ts'
import { request } from './http.ts'
import type { Service } from './service.ts'

/** A team with its people, made by `temblor admin`. */
export interface Team {
  readonly id: string
  readonly name: string
  readonly company: string
  /** The line that adds a host to it. */
  readonly join: string
}

/** Makes a company; gives its id. */
export async function addCompany(service: Service, name: string): Promise<string> {
  const { id } = await service.admin<{ id: string }>(['company', 'add', name])
  return id
}

/** Makes a team in a company. */
export async function addTeam(service: Service, name: string, company: string): Promise<Team> {
  const { id } = await service.admin<{ id: string }>(['team', 'add', name, '--company', company])
  const line = await service.admin<{ join: string }>([
    'team',
    'join-line',
    name,
    '--company',
    company,
  ])
  return { id, name, company, join: line.join }
}

const password = 'correct horse battery staple'

/** Makes a user with these roles and signs in. */
export async function addUser(
  service: Service,
  email: string,
  roles: { company: string; companyRole?: string; team?: string; teamRole?: string },
): Promise<Api> {
  const { company, companyRole = 'COMPANY_USER', team, teamRole } = roles
  await service.admin(
    [
      'user',
      'add',
      email,
      '--company',
      company,
      '--company-role',
      companyRole,
      ...(team ? ['--team', team] : []),
      ...(teamRole ? ['--team-role', teamRole] : []),
    ],
    password,
  )
  return await service.signIn({ email, password, companyName: company })
}

/** One client of the API for each team of a user that `addUser` made. */
export async function signInAll(baseUrl: string, email: string): Promise<Api[]> {
  const answer = await request(baseUrl, 'POST', '/v1/users/auth', { form: { email, password } })
  return (answer.json as Session[]).map((session) => apiOf(baseUrl, session))
}
