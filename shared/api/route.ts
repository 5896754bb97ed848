import type { Static, TSchema } from 'typebox'
import type { AuditAction } from '../audit-actions.ts'
import type { ErrorCode } from './errors.ts'
import type { Privilege } from '../roles.ts'

/** `public`: no Authorization header; else the privilege it needs, or several of which one is enough. */
export type Access = 'public' | Privilege | readonly Privilege[]

/** One operation of the API: what is sent, what comes back, who may. Server, CLI and docs use it. */
export interface RouteContract {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Relative to the base URL that ends in `/v1`. `:team` is a team of the company by id or name; what the
   * caller may do there decides.
   */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly access: Access
  readonly body?: TSchema
  /** The body may be left out. */
  readonly bodyOptional?: true
  /** Media types of the body; JSON unless stated. */
  readonly consumes?: readonly string[]
  readonly query?: TSchema
  readonly params?: TSchema
  readonly headers?: TSchema
  readonly success: {
    readonly status: number
    readonly schema: TSchema
    readonly mediaType?: string
  }
  /** The status of its other success: nothing, but Location leads on. */
  readonly redirect?: 303
  /** Providers send browsers here: a refusal is a page for who accepts `text/html`. */
  readonly isForBrowsers?: true
  /** The errors that are particular to this operation. */
  readonly errors: readonly ErrorCode[]
  /** What the audit calls it. Whatever changes something has one, or says `false`: nothing worth knowing. */
  readonly audit?: AuditAction | false
  /** Halting must work when a client has used up its requests. */
  readonly rateLimit?: false
  /** While storage is away, who was let in lately is let in by that. */
  readonly withoutStorage?: true
}

/** States a route; keeps the literal types of its schemas for server and client. */
export function defineRoute<const C extends RouteContract>(contract: C): C {
  return contract
}

type Part<C, K extends string> =
  C extends Record<K, infer S extends TSchema> ? Static<S> : undefined

export type BodyOf<C extends RouteContract> = Part<C, 'body'>
export type QueryOf<C extends RouteContract> = Part<C, 'query'>
export type HeadersOf<C extends RouteContract> = Part<C, 'headers'>
export type ParamsOf<C extends RouteContract> = Part<C, 'params'>
export type AnswerOf<C extends RouteContract> =
  | Static<C['success']['schema']>
  | (C extends { readonly redirect: number } ? '' : never)
