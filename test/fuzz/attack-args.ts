import type { Flag, AttackType } from '../../shared/attacks/define.ts'
import type { ItemKind, ListParam } from '../../shared/attacks/params.ts'
import type { Random } from './random.ts'

/** Arguments for this attack type that one could mean (but for contradictions), in any spelling. */
export function attackArgs(random: Random, type: AttackType): string[] {
  return Object.entries(type.params).flatMap(([name, schema]) => {
    if (random.chance(0.4)) return []
    const spelt = spelling(random, type.flags[name] as Flag)
    if (schema.type === 'boolean') return [random.pick([spelt, `${spelt}=true`, `${spelt}=FALSE`])]
    if (schema.type === 'integer')
      return joined(random, spelt, String(random.int(schema.minimum, schema.maximum)))
    return Array.from({ length: random.int(1, 3) }, () =>
      joined(random, spelt, listText(random, schema)),
    ).flat()
  })
}

function spelling(random: Random, { short, long }: Flag): string {
  const shorts = short === undefined ? [] : [`-${short}`]
  return random.pick([...shorts, `--${long}`, `--${long.replaceAll('-', '_')}`])
}

function joined(random: Random, flag: string, value: string): string[] {
  return random.chance(0.5) ? [flag, value] : [`${flag}=${value}`]
}

function listText(random: Random, { item }: ListParam): string {
  const one = () => random.pick(['', '^']) + items[item](random)
  return Array.from({ length: random.int(1, 4) }, one).join(',')
}

const items: Record<ItemKind, (random: Random) => string> = {
  address: (random) => {
    const byte = () => random.int(0, 255)
    return random.pick([
      `${byte()}.${byte()}.0.${byte()}/${random.int(0, 32)}`,
      `10.0.${byte()}.1`,
      `2001:DB8:${random.int(0, 9999)}::${random.int(0, 9999)}/${random.int(0, 128)}`,
      `::ffff:10.0.0.${byte()}`,
    ])
  },
  hostname: (random) => random.pick(['db', 'DB.Example.com.', 'a-b.c_d', 'api.gremlin.com']),
  port: (random) => {
    const port = String(random.int(0, 32_000)).padStart(random.int(1, 5), '0')
    return random.pick([port, `${port}-${random.int(32_000, 65_535)}`])
  },
  protocol: (random) => random.pick(['tcp', 'UDP', 'Icmp']),
  device: (random) => random.pick(['eth0', 'lo', 'br-1', 'veth.100']),
}
