import { toBlock, type AttackBlockRecord } from './attack-blocks.ts'
import type { FullOrder } from './waiting-orders.ts'

export type CreateResult =
  | {
      readonly kind: 'created'
      readonly attackId: string
      readonly hosts: readonly string[]
      /** What was written; of an attack in slices nobody has it in hand. */
      readonly written: WrittenOrders | undefined
    }
  | Refused

/** Orders of an attack as they were written, to begin or to halt. What has happened to it since, they do not say. */
export interface WrittenOrders {
  /** Redis' clock when they were written. */
  readonly nowMs: number
  /** When the writing began, on the clock of `performance.now()`. */
  readonly askedMs: number
  readonly orders: readonly WrittenOrder[]
}

export interface WrittenOrder extends FullOrder {
  readonly host: string
  /** That holds, or held last, the session of the host. */
  readonly controllerId: string | undefined
}

/** Why an attack is not created. */
export type Refused =
  /** The same request was made before: its attack. */
  | { readonly kind: 'repeated'; readonly attackId: string }
  /** The same idempotency key was used for another request. */
  | { readonly kind: 'conflict' }
  /** Somebody forbade new attacks. */
  | { readonly kind: 'blocked'; readonly block: AttackBlockRecord | undefined }
  /** Everything was halted before it was all written, or that took too long. */
  | { readonly kind: 'withdrawn' }
  | Unmet

/** What there is does not do for the target. */
export type Unmet =
  | { readonly kind: 'missing'; readonly ids: readonly string[] }
  /** Named hosts on which a controller runs. */
  | { readonly kind: 'controller'; readonly hosts: readonly string[] }
  | {
      readonly kind: 'none'
      readonly hostsWithTags: number
      readonly protectedContainers: number
      readonly controllerHosts: number
    }
  | { readonly kind: 'few'; readonly matching: number; readonly asked: number }

type Numbers = readonly (number | undefined)[]

/** By kind; the rest of the answer as texts, and as numbers. */
const refusals: Readonly<Record<string, (texts: string[], numbers: Numbers) => Refused>> = {
  missing: (ids) => ({ kind: 'missing', ids }),
  controller: (hosts) => ({ kind: 'controller', hosts }),
  none: (_, [hostsWithTags = 0, protectedContainers = 0, controllerHosts = 0]) => ({
    kind: 'none',
    hostsWithTags,
    protectedContainers,
    controllerHosts,
  }),
  few: (_, [matching = 0, asked = 0]) => ({ kind: 'few', matching, asked }),
  repeated: ([attackId = '']) => ({ kind: 'repeated', attackId }),
  blocked: ([block]) => ({ kind: 'blocked', block: toBlock(block) }),
  conflict: () => ({ kind: 'conflict' }),
  withdrawn: () => ({ kind: 'withdrawn' }),
}

/** What a script answered instead of creating. @throws Error for an answer that is none */
export function toRefused([kind, ...rest]: readonly (string | number)[]): Refused {
  const refusal = refusals[String(kind)]
  if (!refusal) throw new Error(`The creating script answered ${String(kind)}.`)
  return refusal(rest.map(String), rest.map(Number))
}
