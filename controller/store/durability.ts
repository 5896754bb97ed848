import { isCluster, serversOf, type Redis } from './redis.ts'

type Server = Awaited<ReturnType<typeof serversOf>>[number]

const wanted = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
} as const

/** What in the configuration of this Redis, of every server of it, could lose acknowledged attacks; empty when nothing. */
export async function durabilityWarnings(redis: Redis): Promise<string[]> {
  const servers = await serversOf(redis)
  const warnings = await Promise.all(
    servers.map((server) => {
      const { host, port } = server.options
      return warningsOf(server, isCluster(redis) ? `Redis ${host}:${port}` : 'Redis')
    }),
  )
  return warnings.flat()
}

async function warningsOf(server: Server, name: string): Promise<string[]> {
  const read = async (setting: string) =>
    ((await server.config('GET', setting).catch(() => [])) as string[])[1]
  const warnings: string[] = []
  for (const [setting, value] of Object.entries(wanted)) {
    const actual = await read(setting)
    if (actual === undefined) warnings.push(`Cannot read the setting ${setting} of ${name}.`)
    else if (actual !== value)
      warnings.push(
        `${name} has ${setting} ${actual}: acknowledged attacks can be lost. Set ${setting} ${value}.`,
      )
  }
  if ((await hasReplicas(server)) && (await read('min-replicas-to-write')) === '0')
    warnings.push(
      `${name} has replicas and min-replicas-to-write 0: acknowledged attacks can be lost when one takes over. Set min-replicas-to-write 1.`,
    )
  return warnings
}

async function hasReplicas(server: Server): Promise<boolean> {
  const text = await server.info('replication').catch(() => '')
  return /^connected_slaves:[1-9]/m.test(text)
}
