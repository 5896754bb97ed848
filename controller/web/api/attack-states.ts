/** How far attacks are: of what is over also how it went. */
export const attackStates = ['active', 'over', 'successful', 'halted', 'failed'] as const
export type AttackState = (typeof attackStates)[number]

/** What a list of attacks is narrowed down to; what is not in it is not filtered by. */
export interface AttackSearch {
  readonly state?: AttackState | undefined
  readonly type?: string | undefined
  /** In a target, user, id or argument. */
  readonly text?: string | undefined
  /** Days of the reader, as 2030-01-31; both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}
