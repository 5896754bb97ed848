import type { Client } from '../../../../shared/api/clients.ts'

export const clientStates = ['active', 'idle', 'revoked'] as const
export type ClientStateName = (typeof clientStates)[number]

/** What the address of the list says. What is not in it is not filtered by. */
export interface Filters {
  readonly state?: ClientStateName | undefined
  /** In a name, a tag, or the name, image or a label of a container. */
  readonly text?: string | undefined
}

/** The filters of an address; what makes no sense is left out. */
export function readFilters({ state, text }: Record<string, unknown>): Filters {
  const known = clientStates.find((one) => one === state)
  // The router reads a text of digits as a number.
  const words = typeof text === 'number' ? String(text) : text
  return {
    ...(known ? { state: known } : {}),
    ...(typeof words === 'string' && words !== '' ? { text: words.slice(0, 200) } : {}),
  }
}

/** Whether the list shows it. */
export function fits(client: Client, { state, text }: Filters): boolean {
  if (state !== undefined && client.state.toLowerCase() !== state) return false
  if (text === undefined) return true
  const wanted = text.toLowerCase()
  const { identifier, tags, containers, version } = client
  const all = [
    identifier,
    version,
    ...pairs(tags),
    ...containers.flatMap(({ name, image, labels }) => [name, image, ...pairs(labels)]),
  ]
  return all.some((one) => one.toLowerCase().includes(wanted))
}

function pairs(map: Readonly<Record<string, string>>): string[] {
  return Object.entries(map).map(([key, value]) => `${key}=${value}`)
}
