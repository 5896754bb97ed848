import type { AttackPreview } from '../../../shared/api/attacks.ts'
import { findAttackType } from '../../../shared/attacks/index.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { count } from './count.ts'
import { formatTable } from './table.ts'

/** So many names stand in a sentence. */
const namesInSentence = 5

type PreviewTarget = AttackPreview['would_hit'][number]

/** The blast radius as the words after "this hits": `3 containers on 2 hosts (web-1/a, …)`. */
export function blastRadius({ would_hit: targets, drawn }: AttackPreview): string {
  const hosts = new Set(targets.map((one) => one.client_id)).size
  const names = targets.slice(0, namesInSentence).map(targetName).join(', ')
  const more =
    targets.length > namesInSentence ? `, and ${targets.length - namesInSentence} more` : ''
  const containers = targets.filter((one) => one.guest_id !== null).length
  const all =
    containers > 0
      ? `${count(containers, 'container')} on ${count(hosts, 'host')}`
      : count(hosts, 'host')
  if (!drawn) return `${all} (${names}${more})`
  const isByHost = drawn.unit === 'hosts' && containers > 0
  const which = isByHost ? 'the containers of ' : ''
  return `${which}${drawn.count} of ${count(drawn.of, drawn.unit.slice(0, -1))}, drawn at random from ${names}${more}`
}

/** The attack and its time: `cpu for 60 s`; one that strikes once does so at the end of it. */
export function whatAndWhen({ command_type: name, length_seconds: length }: AttackPreview): string {
  const type = findAttackType(name)
  return `${name} ${type && !type.params['lengthSeconds'] ? 'in' : 'for'} ${length} s`
}

/** Nobody: 3; some cannot: 6; else 0. The same as if the attack had been run. */
export function exitCodeOfPreview({ would_start, would_hit }: AttackPreview): ExitCode {
  const unable = would_hit.filter((one) => one.cannot !== null).length
  if (!would_start || unable === would_hit.length) return exitCodes.attackFailed
  return unable > 0 ? exitCodes.partiallyApplied : exitCodes.ok
}

/** The lines of `attack preview`. */
export function previewLines(preview: AttackPreview): string[] {
  const { command_type: type, would_hit: hit } = preview
  const lines = preview.would_start
    ? [`${whatAndWhen(preview)} would hit ${blastRadius(preview)}. Nothing was started.`]
    : [`${type} would not start. ${preview.problem ?? ''}`.trim()]
  lines.push(...preview.warnings)
  if (hit.length > 0) {
    const rows = hit.map((one) => [
      targetName(one),
      one.cannot === null ? 'yes' : `no: ${one.cannot}`,
    ])
    lines.push('', ...formatTable([['COULD BE HIT', 'ITS AGENT CAN DO IT'], ...rows]))
  }
  if (preview.would_not_hit.length > 0) {
    const rows = preview.would_not_hit.map((one) => [
      one.guest_id ? `${one.client_id}/${one.guest_id.slice(0, 12)}` : one.client_id,
      one.explanation,
    ])
    lines.push('', ...formatTable([['NOT HIT', 'WHY'], ...rows]))
  }
  return lines
}

function targetName({ client_id: host, guest_id: id, guest_name: name }: PreviewTarget): string {
  return id === null ? host : `${host}/${name ?? id.slice(0, 12)}`
}
