import type { Attack } from '../../../../shared/api/records.ts'
import { paramSpecs, parseArgs } from '../../../../shared/attacks/args.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { findAttackType } from '../../../../shared/attacks/index.ts'
import { emptyDraft, type Draft, type OptionValue } from './draft.ts'
import { formatPairs } from './pairs.ts'

/** The form filled with what an attack had been asked for; whom it hits is drawn anew. */
export function draftOfAttack({ command_type, args, target }: Attack): Draft {
  const type = findAttackType(command_type)
  const { hosts, containers } = target
  return {
    ...emptyDraft,
    ...drawOf(target),
    kind: containers ? 'Container' : 'Host',
    hosts: hosts.ids ?? [],
    tags: formatPairs(hosts.tags),
    labels: formatPairs(containers?.labels ?? {}),
    containers: containers?.ids ?? [],
    ...(type ? { type: type.type, options: optionsOf(type, args) } : {}),
  }
}

function drawOf({
  type,
  hosts,
  containers,
  draw,
}: Attack['target']): Pick<Draft, 'choice' | 'amount' | 'unit'> {
  const of = draw?.of ?? (containers ? 'containers' : 'hosts')
  // Exact names what it hits; with tags or a number it says what Random says as well.
  const isExact = type === 'Exact' && draw === null && Object.keys(hosts.tags).length === 0
  const choice = isExact ? 'Exact' : 'Random'
  if (draw?.count) return { choice, amount: String(draw.count), unit: of }
  if (draw?.percent) return { choice, amount: String(draw.percent), unit: `percent of ${of}` }
  return isExact
    ? { choice, amount: '1', unit: of }
    : { choice, amount: '100', unit: `percent of ${of}` }
}

function optionsOf(type: AttackType, args: readonly string[]): Draft['options'] {
  try {
    const params = parseArgs(type, args)
    return Object.fromEntries(
      paramSpecs(type).map(({ name }) => {
        const value = params[name] as number | OptionValue
        return [name, typeof value === 'number' ? String(value) : value]
      }),
    )
  } catch {
    // Made when the type had other flags: as by default.
    return {}
  }
}
