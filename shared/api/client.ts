import { ApiError, errorCatalogue, type ErrorBody, type ErrorCode } from './errors.ts'
import type { AnswerOf, BodyOf, HeadersOf, ParamsOf, QueryOf, RouteContract } from './route.ts'

interface CallInput<C extends RouteContract> {
  readonly body?: BodyOf<C>
  readonly query?: QueryOf<C>
  readonly params?: ParamsOf<C>
  readonly headers?: HeadersOf<C>
  readonly signal?: AbortSignal
}

/** Where the API is and who asks. */
export interface ApiAccess {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  /** The header of a session. */
  readonly authorization?: string | ChangingHeader
  readonly userAgent?: string
}

/** The header of a session that is renewed while a client is in use. */
export interface ChangingHeader {
  current(): Promise<string>
  /** Another one when this one was refused; undefined when there is none. */
  instead(refused: string): Promise<string | undefined>
}

export interface ApiClient {
  /** Performs one operation. @throws ApiError with the server's code and text, TypeError offline */
  call<C extends RouteContract>(contract: C, input?: CallInput<C>): Promise<AnswerOf<C>>
  /** Performs one operation and gives the answer unread, for streams. @throws as `call` */
  open<C extends RouteContract>(contract: C, input?: CallInput<C>): Promise<Response>
}

/** A client of the API for the CLI, the demo and the tests. */
export function createApiClient(access: ApiAccess): ApiClient {
  const { authorization: header } = access
  const changing = typeof header === 'object' ? header : undefined
  const open: ApiClient['open'] = async (contract, input = {}) => {
    const authorization = typeof header === 'object' ? await header.current() : header
    const answer = await send({ ...access, authorization }, contract, input)
    if (answer instanceof Response) return answer
    const isRefused = authorization !== undefined && answer.code === 'unauthenticated'
    // Nothing was done, so it can be asked again.
    const other = isRefused ? await changing?.instead(authorization) : undefined
    if (other === undefined) throw answer
    const second = await send({ ...access, authorization: other }, contract, input)
    if (second instanceof Response) return second
    throw second
  }
  return {
    open,
    async call(contract, input) {
      const response = await open(contract, input)
      const text = await response.text()
      return (contract.success.mediaType === 'text/plain' ? text : JSON.parse(text)) as never
    },
  }
}

interface Sender extends Omit<ApiAccess, 'authorization'> {
  readonly authorization: string | undefined
}

/** The answer, or the error that it is. @throws TypeError offline */
async function send<C extends RouteContract>(
  sender: Sender,
  contract: C,
  input: CallInput<C>,
): Promise<Response | ApiError> {
  const response = await fetch(urlOf(sender.baseUrl, contract, input), {
    method: contract.method,
    headers: headersOf(sender, contract, input),
    redirect: 'manual',
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(input.signal ? { signal: input.signal } : {}),
  })
  if (response.status === contract.success.status) return response
  return errorFrom(response, await response.text())
}

function headersOf<C extends RouteContract>(
  access: Sender,
  contract: C,
  input: CallInput<C>,
): Record<string, string> {
  const all: Record<string, string | undefined> = {
    authorization: access.authorization,
    'user-agent': access.userAgent,
    accept: contract.success.mediaType ?? 'application/json',
    'content-type': input.body === undefined ? undefined : 'application/json',
    ...((input.headers ?? {}) as Record<string, string | undefined>),
  }
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
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
