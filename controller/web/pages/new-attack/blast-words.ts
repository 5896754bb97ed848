import type { AttackPreview } from '../../../../shared/api/attacks.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { countWords } from '../../parts/count-words.ts'
import { lengthWords } from '../../parts/time-words.ts'
import { lengthParam } from './draft.ts'

/** Whom it hits: "2 containers on 1 host", "3 hosts"; "nobody". */
export function radiusWords({ drawn, would_hit }: AttackPreview): string {
  const hosts = new Set(would_hit.map(({ client_id }) => client_id)).size
  const isOfContainers = would_hit.some(({ guest_id }) => guest_id !== null)
  if (would_hit.length === 0) return 'nobody'
  if (drawn?.unit === 'hosts')
    return isOfContainers
      ? `the containers of ${countWords(drawn.count, 'host')}`
      : countWords(drawn.count, 'host')
  if (drawn) return countWords(drawn.count, 'container')
  if (!isOfContainers) return countWords(hosts, 'host')
  return `${countWords(would_hit.length, 'container')} on ${countWords(hosts, 'host')}`
}

/** What the button does: "Attack 3 hosts for 1 min". */
export function actionWords(type: AttackType, preview: AttackPreview | undefined): string {
  if (!preview?.would_start) return 'Attack'
  const isLasting = type.params[lengthParam] !== undefined
  const length = isLasting ? ` for ${lengthWords(preview.length_seconds)}` : ''
  return `Attack ${radiusWords(preview)}${length}`
}

/** How many of those that match are drawn; undefined when all of them are hit. */
export function drawnWords({ drawn }: AttackPreview): string | undefined {
  if (!drawn || drawn.count >= drawn.of) return undefined
  const unit = drawn.unit === 'hosts' ? 'host' : 'container'
  const verb = drawn.count === 1 ? 'is' : 'are'
  return `${drawn.count} of these ${countWords(drawn.of, unit)} ${verb} drawn, each with the same chance.`
}
