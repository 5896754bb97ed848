import { timestamp } from '../shared/api/timestamp.ts'
import type { AgentHub } from './agents/hub.ts'
import type { HealthPart } from './api/service/routes.ts'
import type { Mailer } from './mail/mailer.ts'
import { answersForAll, type Redis } from './store/redis.ts'
import type { Controllers } from './store/controllers.ts'

/** Deadlines are swept once a second; this much later something is wrong. */
const sweptWithinMs = 10_000

/** What health is told of. */
export interface HealthDeps {
  readonly redis: Redis
  readonly controllers: Pick<Controllers, 'msSinceLook'>
  readonly hub: AgentHub
  readonly mailer: Mailer | undefined
  /** What storage could lose. */
  readonly warnings: readonly string[]
}

/** Tells how each part of the controller is. */
export function createHealth({
  redis,
  controllers,
  hub,
  mailer,
  warnings,
}: HealthDeps): () => Promise<Record<string, HealthPart>> {
  return async () => ({
    redis: await redisHealth(redis, warnings),
    agents: agentsHealth(hub),
    mail: mailHealth(mailer),
    deadlines: await deadlinesHealth(controllers),
  })
}

async function redisHealth(redis: Redis, warnings: readonly string[]): Promise<HealthPart> {
  try {
    if (!(await answersForAll(redis)))
      return { status: 'failed', message: 'a part of the Cluster is away' }
  } catch {
    return { status: 'failed', message: 'does not answer' }
  }
  return warnings.length > 0
    ? { status: 'warning', message: warnings.join(' ') }
    : { status: 'ok', message: 'answers; every acknowledged write is on disk' }
}

async function deadlinesHealth({ msSinceLook }: HealthDeps['controllers']): Promise<HealthPart> {
  const sinceMs = await msSinceLook().catch(() => undefined)
  if (sinceMs === undefined) return { status: 'failed', message: 'cannot be swept without Redis' }
  return sinceMs < sweptWithinMs
    ? { status: 'ok', message: 'swept once a second' }
    : { status: 'warning', message: `not swept for ${Math.round(sinceMs / 1000)} s` }
}

/** Whoever spreads requests over controllers sends a stopping one no more. */
function agentsHealth(hub: AgentHub): HealthPart {
  const message = `${hub.connected()} connected to this controller`
  return hub.isDraining()
    ? { status: 'failed', message: `${message}, which is stopping` }
    : { status: 'ok', message }
}

function mailHealth(mailer: Mailer | undefined): HealthPart {
  if (!mailer) return { status: 'ok', message: 'none is sent: there is no TEMBLOR_SMTP_URL' }
  const last = mailer.last()
  if (!last) return { status: 'ok', message: 'none was sent yet' }
  const { isSent, atMs, code } = last
  return isSent
    ? { status: 'ok', message: `last sent ${timestamp(atMs)}` }
    : { status: 'warning', message: `the last was not sent (${code}, ${timestamp(atMs)})` }
}
