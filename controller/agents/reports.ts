import type { Logger } from 'pino'
import type { CommandAck__Output } from '../../proto/gen/temblor/agent/v1/CommandAck.ts'
import type { ExecutionUpdate__Output } from '../../proto/gen/temblor/agent/v1/ExecutionUpdate.ts'
import { isEndReason, isStage, isTerminal, type Stage } from '../../shared/stages.ts'
import type { AgentWord, HostSession } from '../store/executions.ts'
import { readEffect } from './effect-json.ts'
import type { Gathered, WordResult } from './gathered.ts'
import type { OpenExecutions } from './open-executions.ts'
import { lostInMs, type ExecutionTimes } from './orders.ts'
import type { SentOrders } from './sent-orders.ts'
import type { AgentStream } from './stream.ts'

interface ReportDeps {
  readonly words: Gathered['words']
  readonly open: OpenExecutions
  readonly sent: SentOrders
  readonly stream: AgentStream
  readonly logger: Logger
  readonly teamId: string
  readonly session: HostSession
  /** Of the agent. */
  readonly version: string
  /** The session is not the host's own any more. */
  onOutdated(): void
}

/** What the agent of one session says of its executions: written together with what others say, acknowledged then. */
export class Reports {
  readonly #deps: ReportDeps
  /** Reports that are on disk and not acknowledged yet, by execution: the newest number. */
  readonly #written = new Map<string, number>()

  constructor(deps: ReportDeps) {
    this.#deps = deps
  }

  /** The agent has an order in its journal. */
  async onCommandAck({ executionId, generation }: CommandAck__Output): Promise<void> {
    const { session, sent } = this.#deps
    sent.acknowledged(executionId, generation)
    const result = await this.#tell({ kind: 'order', ...session, executionId, generation })
    sent.settled(executionId, generation)
    if (result === 'outdated') this.#deps.onOutdated()
  }

  /** An execution has reached a stage, or has new figures. */
  async onUpdate(update: ExecutionUpdate__Output): Promise<void> {
    const { open, logger, session } = this.#deps
    const { executionId, seq, stage } = update
    if (!isStage(stage)) {
      logger.warn({ host: session.host, executionId, stage }, 'unknown stage')
      this.#acknowledge(executionId, seq)
      return
    }
    // Without a wait when it is known: what the agent says next must not come before it.
    const times = isTerminal(stage)
      ? undefined
      : (open.knownTimesOf(executionId) ?? (await open.timesOf(executionId)))
    const result = await this.#report({ ...update, stage }, times)
    if (result === 'outdated') {
      // Not acknowledged: the agent says it again over the session that counts.
      this.#deps.onOutdated()
      return
    }
    // The newer ones are acknowledged for these, too.
    if (result === 'superseded') return
    if (isTerminal(stage)) open.over(executionId)
    if (result === 'foreign' || result === 'unknown')
      logger.warn({ host: session.host, executionId, result }, 'report not accepted')
    this.#acknowledge(executionId, seq)
  }

  #report(
    update: ExecutionUpdate__Output & { stage: Stage },
    times: ExecutionTimes | undefined,
  ): Promise<WordResult> {
    const { open, session, version } = this.#deps
    const { executionId, stage, ageMs } = update
    const measured = readEffect(update.measuredJson)
    const isOnlyFigures = measured !== undefined && open.stays(executionId, stage)
    return this.#tell(
      {
        ...update,
        ...session,
        kind: 'report',
        reason: isEndReason(update.reason) ? update.reason : undefined,
        // With figures alone it is as it was.
        requested: isOnlyFigures ? undefined : readEffect(update.requestedJson),
        measured,
        clientVersion: version,
        lostInMs: times ? lostInMs(stage, times, ageMs) : 0,
      },
      isOnlyFigures,
    )
  }

  #tell(word: AgentWord, isOnlyFigures = false): Promise<WordResult> {
    const { words, teamId, stream } = this.#deps
    const item = { word, isOnlyFigures, isOver: () => stream.isOver() }
    return words.add(teamId, item, !isOnlyFigures)
  }

  /** Says that a report is on disk; of several that were written together, the newest stands for all. */
  #acknowledge(executionId: string, seq: number): void {
    if (this.#written.size === 0)
      process.nextTick(() => {
        for (const [id, newest] of this.#written)
          this.#deps.stream.send({ updateAck: { executionId: id, seq: newest } })
        this.#written.clear()
      })
    this.#written.set(executionId, seq)
  }
}
