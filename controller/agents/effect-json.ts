import { Compile } from 'typebox/compile'
import { Effect } from '../../shared/effect.ts'

/** Made into code: thousands of agents report figures. */
const known = Compile(Effect)

/** An effect that an agent sent as JSON; undefined when there is none or it is not one. */
export function readEffect(json: string): Effect | undefined {
  if (json === '') return undefined
  try {
    const effect: unknown = JSON.parse(json)
    return known.Check(effect) ? effect : undefined
  } catch {
    return undefined
  }
}
