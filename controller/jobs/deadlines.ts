import { Queue, Worker } from 'bullmq'
import type { Logger } from 'pino'
import type { AgentHub } from '../agents/hub.ts'
import { forJobs, isStorageError, openBlockingRedis } from '../store/redis.ts'
import { verdictOn } from './silence.ts'
import type { Store } from '../store/store.ts'

const queueName = 'temblor-deadlines'
const sweepEveryMs = 1_000

/** The hash tag that keeps all of BullMQ's keys in one slot. */
const prefix = '{bull}'

/** Kept jobs: only enough to see that the sweep runs. */
const kept = { removeOnComplete: { count: 10 }, removeOnFail: { count: 100 } }

export interface Deadlines {
  close(): Promise<void>
}

/**
 * Looks once a second, on one of the controllers, for executions that should have been over. A sweep
 * may run twice or late: the script that ends an execution looks at the due time again.
 */
export async function startDeadlines(deps: {
  store: Store
  hub: AgentHub
  redisUrl: string
  logger: Logger
}): Promise<Deadlines> {
  const [producer, consumer] = [openBlockingRedis(deps.redisUrl), openBlockingRedis(deps.redisUrl)]
  // That storage is away is said once, by whoever starts the controller.
  const onError = (err: Error) => isStorageError(err) || deps.logger.warn({ err }, 'deadline queue')
  producer.on('error', onError)
  consumer.on('error', onError)
  const queue = new Queue(queueName, { connection: forJobs(producer), prefix })
  const worker = new Worker(queueName, () => sweepNow(deps), {
    connection: forJobs(consumer),
    prefix,
    concurrency: 1,
    stalledInterval: 5_000,
    maxStalledCount: 3,
  })
  queue.on('error', onError)
  worker.on('error', onError)
  await queue.upsertJobScheduler('sweep', { every: sweepEveryMs }, { name: 'sweep', opts: kept })
  return {
    async close() {
      await worker.close(true)
      await queue.close()
      producer.disconnect()
      consumer.disconnect()
    },
  }
}

async function sweepNow({ store, hub }: { store: Store; hub: AgentHub }): Promise<number> {
  return await sweep(store, hub, await store.controllers.doesSilenceCount())
}

/**
 * Ends every execution that is past its due time, and removes attacks that were never written to their end. It asks
 * only teams in which there may be some.
 * @param doesSilenceCount false while hosts have had no chance to say what became of theirs
 */
export async function sweep(
  store: Store,
  hub: Pick<AgentHub, 'deliverSoon'>,
  doesSilenceCount = true,
): Promise<number> {
  let ended = 0
  await store.busyTeams.noteMissed(() => store.companies.allTeamIds())
  for (const teamId of await store.busyTeams.list()) {
    if (!(await store.busyTeams.isBusy(teamId))) continue
    await store.attacks.discardUnwritten(teamId)
    if (doesSilenceCount) ended += await endOverdue(store, hub, teamId)
  }
  return ended
}

async function endOverdue(
  store: Store,
  hub: Pick<AgentHub, 'deliverSoon'>,
  teamId: string,
): Promise<number> {
  let ended = 0
  for (const execution of await store.executions.overdue(teamId)) {
    const verdict = await verdictOn(store, teamId, execution)
    if (!(await store.executions.giveUp(teamId, execution, verdict))) continue
    ended += 1
    hub.deliverSoon(teamId, execution.host)
  }
  return ended
}
