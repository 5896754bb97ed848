import { ApiError, type ErrorCode } from '../../shared/api/errors.ts'

/** There is no such attack in this team (another team's is not there either). */
export function attackNotFound(attackId: string): ApiError {
  return notFound('attack_not_found', attackId, 'This team has no attack', 'GET /attacks')
}

/** There is no such host in this team. */
export function clientNotFound(identifier: string): ApiError {
  return notFound('client_not_found', identifier, 'This team has no host', 'GET /clients')
}

/** There is no such container on the active hosts of this team. */
export function containerNotFound(identifier: string): ApiError {
  const what = 'No active host of this team runs a container'
  return notFound('container_not_found', identifier, what, 'GET /containers')
}

/** There is no such team in this company. */
export function teamNotFound(idOrName: string): ApiError {
  return notFound('team_not_found', idOrName, 'The company has no team', 'GET /teams')
}

/** The company has no such alias of role claims. */
export function aliasNotFound(aliasId: string): ApiError {
  const list = 'GET /companies/{id}/saml/claim-aliases'
  return notFound('alias_not_found', aliasId, 'The company has no alias', list)
}

/** The company has no such test of a provider, or not any more. */
export function ssoTestNotFound(testId: string): ApiError {
  return new ApiError(
    'sso_test_not_found',
    'There is no such test; they are kept for an hour. POST /companies/{id}/sso/tests begins one.',
    { details: { value: testId.slice(0, 100) } },
  )
}

/** There is nobody with this address in the company. */
export function userNotFound(email: string): ApiError {
  return notFound('user_not_found', email, 'The company has no user', 'temblor user list')
}

/** The session is not of this company, whether there is such a company or not. */
export function companyNotFound(companyId: string): ApiError {
  return notFound('company_not_found', companyId, 'This session has no company', 'GET /users/self')
}

function notFound(code: ErrorCode, id: string, what: string, list: string): ApiError {
  const value = id.slice(0, 100)
  return new ApiError(code, `${what} ${value}. ${list} lists those there are.`, {
    details: { value },
  })
}
