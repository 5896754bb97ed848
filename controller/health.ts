import type { AgentHub } from './agents/hub.ts'
import type { HealthPart } from './api/service/routes.ts'
import { durabilityWarnings, type Redis } from './store/redis.ts'

/** Tells how each part of the controller is. Durability is asked for once, at the start. */
export async function createHealth(
  redis: Redis,
  hub: AgentHub,
): Promise<() => Promise<Record<string, HealthPart>>> {
  const warnings = await durabilityWarnings(redis)
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
