import { Queue, Worker } from 'bullmq'
import type { Logger } from 'pino'
import type { AgentHub } from '../agents/hub.ts'
import { forJobs, isStorageError, openBlockingRedis } from '../store/redis.ts'
import { verdictOn } from './silence.ts'
import type { Store } from '../store/store.ts'

const queueName = 'temblor-deadlines'
const sweepEveryMs = 1_000
/** BullMQ plans by the clocks of controllers: one that is wrong for a second may put the next sweep off for hours. */
const lateMs = 3_000

/** The hash tag that keeps all of BullMQ's keys in one slot. */
const prefix = '{bull}'

/** Kept jobs: only enough to see that the sweep runs. */
const kept = { removeOnComplete: { count: 10 }, removeOnFail: { count: 100 } }

export interface Deadlines {
  close(): Promise<void>
}

/**
 * Looks once a second, on one of the controllers, for executions that should have been over; where that is late, on
 * each. A sweep may run twice or late: the script that ends an execution looks at the due time again.
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
  const sweepHere = oneAtATime(() => sweepNow(deps))
  const worker = new Worker(queueName, sweepHere, {
    connection: forJobs(consumer),
    prefix,
    concurrency: 1,
    stalledInterval: 5_000,
    maxStalledCount: 3,
  })
  queue.on('error', onError)
  worker.on('error', onError)
  const plan = () =>
    queue.upsertJobScheduler('sweep', { every: sweepEveryMs }, { name: 'sweep', opts: kept })
  await plan()
  // By itself: the connection of the queue may wait for a server that is gone, while that of the store is a new one.
  const planAnew = oneAtATime(async () => {
    await queue.removeJobScheduler('sweep')
    await plan()
  })
  const look = async () => {
    if ((await deps.store.controllers.msSinceLook()) < lateMs || sweepHere.isUnderWay()) return
    await sweepHere()
    planAnew().catch(onError)
  }
  const watch = setInterval(() => void look().catch(onError), sweepEveryMs)
  return {
    async close() {
      clearInterval(watch)
      await worker.close(true)
      await queue.close()
      producer.disconnect()
      consumer.disconnect()
    },
  }
}

interface OneAtATime<T> {
  (): Promise<T>
  isUnderWay(): boolean
}

/** Who asks while it is under way gets what comes of that. */
function oneAtATime<T>(task: () => Promise<T>): OneAtATime<T> {
  let underWay: Promise<T> | undefined
  const run = () => (underWay ??= task().finally(() => (underWay = undefined)))
  return Object.assign(run, { isUnderWay: () => underWay !== undefined })
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
