import { Value } from 'typebox/value'
import { Effect } from '../../shared/effect.ts'

/** An effect that an agent sent as JSON; undefined when there is none or it is not one. */
export function readEffect(json: string): Effect | undefined {
  if (json === '') return undefined
  try {
    const effect: unknown = JSON.parse(json)
    return Value.Check(Effect, effect) ? effect : undefined
  } catch {
    return undefined
  }
}
