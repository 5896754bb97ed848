import type { AgentHub } from './agents/hub.ts'
import type { HealthPart } from './api/service/routes.ts'
import type { Redis } from './store/redis.ts'

/** Tells how each part of the controller is. `warnings` are what its storage could lose. */
export function createHealth(
  redis: Redis,
  hub: AgentHub,
  warnings: readonly string[],
): () => Promise<Record<string, HealthPart>> {
  return async () => ({
    redis: await redisHealth(redis, warnings),
    agents: { status: 'ok', message: `${hub.connected()} connected to this controller` },
    deadlines: { status: 'ok', message: 'swept once a second' },
  })
}

async function redisHealth(redis: Redis, warnings: readonly string[]): Promise<HealthPart> {
  try {
    await redis.ping()
  } catch {
    return { status: 'failed', message: 'does not answer' }
  }
  return warnings.length > 0
    ? { status: 'warning', message: warnings.join(' ') }
    : { status: 'ok', message: 'answers; every acknowledged write is on disk' }
}
