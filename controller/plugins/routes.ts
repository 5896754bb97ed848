import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ErrorBody, errorCatalogue, type ErrorCode } from '../../shared/api/errors.ts'
import type {
  AnswerOf,
  BodyOf,
  HeadersOf,
  ParamsOf,
  QueryOf,
  RouteContract,
} from '../../shared/api/route.ts'
import type { Access as Gate, Caller, Shown } from '../auth/access.ts'
import type { AuditNote, RequestAudit } from '../audit/of-request.ts'
import { privilegesOf } from '../../shared/roles.ts'
import { enterTeam } from '../auth/enter-team.ts'
import { forbidden } from '../auth/forbidden.ts'
import type { Team } from '../store/companies.ts'
import { isStorageError } from '../store/redis.ts'
import type { Store } from '../store/store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    contract?: RouteContract
  }
}

/** What a handler is given: everything checked, the caller known. */
export interface RouteInput<C extends RouteContract> {
  readonly body: BodyOf<C>
  readonly query: QueryOf<C>
  readonly params: ParamsOf<C>
  readonly headers: HeadersOf<C>
  /** @throws ApiError on public routes, which have none */
  readonly caller: Caller
  /** The team of the path, else of the session. @throws ApiError `wrong_team` for a session of the company */
  readonly team: Team
  /** Looks again whether the caller may, for what lasts. @throws ApiError as before the handler */
  readonly admitAgain: () => Promise<void>
  /** Tells the audit what the contract does not: what it is about, what has changed. */
  readonly audit: AuditNote
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Adds operations to the API: validation, sign-in and privilege follow from the contract. */
export interface Router {
  add<C extends RouteContract>(
    contract: C,
    handler: (input: RouteInput<C>) => Promise<AnswerOf<C>> | AnswerOf<C>,
    /** Looks at the body before its schema does, where that can say more. @throws ApiError */
    refuse?: (body: unknown) => void,
  ): void
}

/** Errors that any operation may answer with. */
const everywhere: ErrorCode[] = ['internal', 'storage_unavailable']
const withSession: ErrorCode[] = ['unauthenticated', 'forbidden', 'wrong_team']
const withBody: ErrorCode[] = ['body_too_large', 'unsupported_media_type']

/** The errors an operation documents. */
export function errorsOf(contract: RouteContract): ErrorCode[] {
  return [
    ...new Set([
      ...contract.errors,
      ...(contract.access === 'public' ? [] : withSession),
      ...(contract.body ? withBody : []),
      ...(contract.rateLimit === false ? [] : (['too_many_requests'] as const)),
      ...everywhere,
    ]),
  ]
}

/** What may be long or has no end: it has no HEAD. */
const streams = new Set(['text/event-stream', 'application/x-ndjson'])

export interface RouterDeps {
  readonly gate: Gate
  readonly store: Store
  readonly audit: RequestAudit
}

/** Makes the router of an app. */
export function createRouter(app: FastifyInstance, deps: RouterDeps): Router {
  return {
    add(contract, handler, refuse) {
      app.route({
        method: contract.method,
        exposeHeadRoute:
          contract.method === 'GET' && !streams.has(contract.success.mediaType ?? ''),
        url: `/v1${contract.path}`,
        config: { contract },
        onRequest: async ({ headers }) => {
          // Existing clients send a bare word without saying what it is.
          if (contract.consumes?.includes('text/plain')) headers['content-type'] ??= 'text/plain'
        },
        schema: schemaOf(contract),
        preValidation: async (request) => {
          if (contract.access === 'public') return
          await audited(deps.audit, request, contract, () => admit(deps, request, contract))
          refuse?.(request.body)
        },
        handler: async (request, reply) => {
          const { success } = contract
          reply.status(success.status)
          reply.type(`${success.mediaType ?? 'application/json'}; charset=utf-8`)
          const note = deps.audit.note(request)
          const answer = await audited(deps.audit, request, contract, async () =>
            handler(inputOf(request, reply, note, () => admit(deps, request, contract))),
          )
          await deps.audit.done(request, contract)
          return answer
        },
      })
    },
  }
}

/** Lets the caller in, or says which privilege is missing. @throws ApiError */
async function admit(
  { gate, store }: RouterDeps,
  request: FastifyRequest,
  contract: RouteContract,
): Promise<void> {
  // Known from here on, so that the audit can say who was refused.
  const { authorization } = request.headers
  request.caller = await gate.authenticate(authorization, request.shown).catch((error: unknown) => {
    const mayDoWithout = contract.withoutStorage && isStorageError(error)
    const remembered = mayDoWithout ? gate.remembered(authorization) : undefined
    if (remembered) return remembered
    throw error
  })
  const named = await inNamedTeam(store, request.caller, request, contract)
  const { team } = request.params as { team?: string }
  request.caller = team === undefined ? named : await enterTeam(store, named, team)
  checkPrivilege(contract, request.caller)
}

/** Does it; when it is refused, that is recorded. */
async function audited<T>(
  audit: RequestAudit,
  request: FastifyRequest,
  contract: RouteContract,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await audit.refused(request, contract, error)
    throw error
  }
}

function inputOf<C extends RouteContract>(
  request: FastifyRequest,
  reply: FastifyReply,
  audit: AuditNote,
  admitAgain: () => Promise<void>,
): RouteInput<C> {
  return {
    body: request.body as BodyOf<C>,
    query: request.query as QueryOf<C>,
    params: request.params as ParamsOf<C>,
    headers: request.headers as HeadersOf<C>,
    request,
    reply,
    audit,
    admitAgain,
    get caller() {
      if (!request.caller) throw new ApiError('unauthenticated', 'Sign in first.')
      return request.caller
    },
    get team() {
      if (request.caller?.team) return request.caller.team
      throw new ApiError(
        'wrong_team',
        'This session is for the company. Use the session of a team of which you are a member.',
      )
    },
  }
}

/**
 * The caller in the team that the query names: keys and sessions of the company may name any of theirs. Who places
 * people for the company may name any team of it, where that is what is asked for.
 */
async function inNamedTeam(
  store: Store,
  caller: Caller,
  request: FastifyRequest,
  { access }: RouteContract,
): Promise<Caller> {
  const { teamId } = request.query as { teamId?: string }
  if (!teamId || teamId === caller.team?.id) return caller
  const isOwn = Object.hasOwn(caller.membership.teams, teamId)
  if (caller.reach === 'company' && (isOwn || (await mayPlaceIn(store, caller, access, teamId))))
    return await enterTeam(store, caller, teamId)
  throw new ApiError(
    'wrong_team',
    `This session is not for the team ${teamId.slice(0, 100)}. Use the session of that team.`,
    { details: { field: 'teamId', value: teamId.slice(0, 100) } },
  )
}

async function mayPlaceIn(
  store: Store,
  { company, membership }: Caller,
  access: RouteContract['access'],
  teamId: string,
): Promise<boolean> {
  const placing = 'COMPANY_USERS_WRITE'
  if (access === 'public' || !privilegesFor(access).includes(placing)) return false
  if (!privilegesOf(membership.roles, []).has(placing)) return false
  return (await store.companies.listTeams(company.id)).some(({ id }) => id === teamId)
}

function checkPrivilege({ access }: RouteContract, caller: Caller): void {
  if (access === 'public') return
  const enough = privilegesFor(access)
  if (!enough.some((privilege) => caller.privileges.has(privilege))) throw forbidden(enough)
}

/** The privileges of which one is enough. */
function privilegesFor<P extends string>(access: P | readonly P[]): readonly P[] {
  return typeof access === 'string' ? [access] : access
}

/** The other success of operations that may lead on. */
const leadsOn = {
  description: 'Nothing: Location leads on.',
  content: { 'text/plain': { schema: { type: 'string', const: '' } } },
}

/** The other form of a refusal, of operations that browsers are led to. */
const pageForBrowsers = {
  'text/html': { schema: { type: 'string', description: 'The same in plain words, for people.' } },
}

function schemaOf(contract: RouteContract): Record<string, unknown> {
  const byStatus = Map.groupBy(errorsOf(contract), (code) => errorCatalogue[code].status)
  const failures = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: {
        'application/json': { schema: ErrorBody },
        ...(contract.isForBrowsers ? pageForBrowsers : {}),
      },
    },
  ])
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    tags: [contract.tag],
    ...(contract.body
      ? { body: contract.body, consumes: contract.consumes ?? ['application/json'] }
      : {}),
    ...(contract.query ? { querystring: contract.query } : {}),
    ...(contract.params ? { params: contract.params } : {}),
    ...(contract.headers ? { headers: contract.headers } : {}),
    produces: [contract.success.mediaType ?? 'application/json'],
    ...(contract.access === 'public'
      ? { security: [] }
      : { security: privilegesFor(contract.access).map((one) => ({ session: [one] })) }),
    response: {
      [contract.success.status]: contract.success.schema,
      ...(contract.redirect ? { [contract.redirect]: leadsOn } : {}),
      ...Object.fromEntries(failures),
    },
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What its Authorization header was found to show, where that was looked up to count it. */
    shown?: Shown
    caller?: Caller
  }
}
