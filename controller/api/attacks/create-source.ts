/** Clients that name themselves in `X-Gremlin-Agent`, and the source their attacks are listed under. */
const knownClients: readonly (readonly [prefix: string, source: string])[] = [
  ['gremlin-sdk-python', 'GremlinSdkPython'],
  ['spinnaker', 'Spinnaker'],
  ['concord', 'Concord'],
]

/** The `create_source` of an attack: the client that made it, `Api` when it does not say. */
export function createSource(clientName: string | string[] | undefined): string {
  const name = String(clientName ?? '').toLowerCase()
  return knownClients.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'Api'
}
