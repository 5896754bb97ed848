import type { Client } from '../../../../shared/api/clients.ts'

/** One that can be chosen. */
export interface Choice {
  readonly value: string
  readonly label: string
}

/** What a team has, for the form to propose. */
export interface KnownTargets {
  readonly hosts: readonly string[]
  /** Each `key=value`. */
  readonly tags: readonly string[]
  readonly labels: readonly string[]
  readonly containers: readonly Choice[]
}

/** What the hosts carry that are there. */
export function knownTargets(clients: readonly Client[]): KnownTargets {
  const seen = clients.flatMap((client) =>
    client.containers.map((one) => ({ ...one, host: client.identifier })),
  )
  // Two agents on one machine see the same ones.
  const containers = [...new Map(seen.map((one) => [one.id, one])).values()]
  return {
    hosts: sorted(clients.map(({ identifier }) => identifier)),
    tags: sorted(clients.flatMap(({ tags }) => pairsOf(tags))),
    labels: sorted(containers.flatMap(({ labels }) => pairsOf(labels))),
    containers: containers
      .filter((one) => !one.protected)
      .map(({ id, name, host }) => ({ value: id, label: `${host}/${name}` }))
      .sort((a, b) => a.label.localeCompare(b.label)),
  }
}

function pairsOf(map: Readonly<Record<string, string>>): string[] {
  return Object.entries(map).map(([key, value]) => `${key}=${value}`)
}

function sorted(all: readonly string[]): string[] {
  return [...new Set(all)].sort((a, b) => a.localeCompare(b))
}
