import type { ApiClient } from '../../shared/api/client.ts'
import { createApiClient } from '../../shared/api/client.ts'
import {
  ApiError,
  errorCatalogue,
  type ErrorBody,
  type ErrorCode,
} from '../../shared/api/errors.ts'
import type { BodyOf, HeadersOf, ParamsOf, RouteContract } from '../../shared/api/route.ts'

/** Where the API is and who asks. */
export interface Access {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  readonly authorization: string
  readonly userAgent: string
}

interface OpenInput<C extends RouteContract> {
  readonly body?: BodyOf<C>
  readonly params?: ParamsOf<C>
  readonly headers?: HeadersOf<C>
  readonly signal?: AbortSignal
}

/** The client of the commands: besides calls it opens answers that are read bit by bit. */
export interface CliApi extends ApiClient {
  /** Performs one operation and gives the answer unread. @throws ApiError, TypeError offline */
  open<C extends RouteContract>(contract: C, input?: OpenInput<C>): Promise<Response>
}

/** A client of the API with headers and streams. */
export function openApi(access: Access): CliApi {
  return {
    ...createApiClient(access),
    async open(contract, { body, params, headers, signal } = {}) {
      const response = await fetch(urlOf(access.baseUrl, contract, params), {
        method: contract.method,
        headers: {
          authorization: access.authorization,
          'user-agent': access.userAgent,
          accept: contract.success.mediaType ?? 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...given(headers),
        },
        redirect: 'manual',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      })
      if (response.status === contract.success.status) return response
      throw errorFrom(response.status, await response.text())
    },
  }
}

function urlOf(baseUrl: string, { path }: RouteContract, params: unknown): string {
  const known = (params ?? {}) as Record<string, string>
  return `${baseUrl}${path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(known[name] ?? ''))}`
}

function given(headers: unknown): Record<string, string> {
  const all = Object.entries((headers ?? {}) as Record<string, string | undefined>)
  return Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

function errorFrom(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as ErrorBody
    const code = (error.code in errorCatalogue ? error.code : 'internal') as ErrorCode
    return new ApiError(code, error.message, { details: error.details ?? {} })
  } catch {
    return new ApiError('internal', `The server answered ${status}: ${text.slice(0, 200)}`)
  }
}
