import { ApiError, errorCatalogue, type ErrorBody, type ErrorCode } from './errors.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf, RouteContract } from './route.ts'

interface CallInput<C extends RouteContract> {
  readonly body?: BodyOf<C>
  readonly query?: QueryOf<C>
  readonly params?: ParamsOf<C>
  readonly signal?: AbortSignal
}

export interface ApiClient {
  /** Performs one operation. @throws ApiError with the server's code and text, TypeError offline */
  call<C extends RouteContract>(contract: C, input?: CallInput<C>): Promise<AnswerOf<C>>
}

/** A client of the API for the CLI, the demo and the tests. `baseUrl` ends in `/v1`. */
export function createApiClient(options: {
  baseUrl: string
  authorization?: string
  userAgent?: string
}): ApiClient {
  return {
    async call(contract, input = {}) {
      const response = await fetch(urlOf(options.baseUrl, contract, input), {
        method: contract.method,
        headers: {
          ...(options.authorization ? { authorization: options.authorization } : {}),
          ...(options.userAgent ? { 'user-agent': options.userAgent } : {}),
          ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        redirect: 'manual',
        ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
        ...(input.signal ? { signal: input.signal } : {}),
      })
      const text = await response.text()
      if (response.status !== contract.success.status) throw errorFrom(response, text)
      const isText = contract.success.mediaType === 'text/plain'
      return (isText ? text : JSON.parse(text)) as never
    },
  }
}

function urlOf<C extends RouteContract>(baseUrl: string, contract: C, input: CallInput<C>): string {
  const params = (input.params ?? {}) as Record<string, string>
  const path = contract.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const query = Object.entries((input.query ?? {}) as Record<string, string | undefined>)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
  return `${baseUrl.replace(/\/$/, '')}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

function errorFrom(response: Response, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as ErrorBody
    const code = (error.code in errorCatalogue ? error.code : 'internal') as ErrorCode
    return new ApiError(code, error.message, { details: error.details ?? {} })
  } catch {
    return new ApiError('internal', `The server answered ${response.status}: ${text.slice(0, 200)}`)
  }
}
