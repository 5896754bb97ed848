import { setTimeout as sleep } from 'node:timers/promises'
import { type CreateAttackBody, createAttack } from '../../../shared/api/attacks.ts'
import type { ApiClient } from '../../../shared/api/client.ts'
import { isPassing } from '../events/follow-events.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'

/** So long the answer to a request for an attack is awaited when somebody wants it to end. */
const answerWithinMs = 10_000

interface Asked {
  readonly body: CreateAttackBody
  readonly key: string
}

/**
 * Asks for an attack and gives its id. After an interrupt the answer is awaited for 10 s: it says what to halt.
 * @throws CliError when interrupted and no answer came
 */
export async function createOrGiveUp(
  api: ApiClient,
  io: CliIo,
  asked: Asked,
  interrupt: AbortSignal,
): Promise<string> {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onInterrupt = () => {
    io.say('Interrupted: waiting for the answer, to halt the attack.')
    timer = setTimeout(() => giveUp.abort(), answerWithinMs)
  }
  interrupt.addEventListener('abort', onInterrupt)
  try {
    return await create(api, asked, giveUp.signal)
  } catch (error) {
    if (!giveUp.signal.aborted) throw error
    const message = 'Interrupted, and no answer came. To see what has begun: temblor attack list'
    throw new CliError(message, exitCodes.interrupted)
  } finally {
    interrupt.removeEventListener('abort', onInterrupt)
    clearTimeout(timer)
  }
}

/** Asks again when the answer was lost on the way: the key keeps it from being run twice. */
async function create(api: ApiClient, { body, key }: Asked, signal: AbortSignal): Promise<string> {
  const headers = { 'idempotency-key': key }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await api.open(createAttack, { body, headers, signal })
      return (await answer.text()).trim()
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
      const isThere = code !== 'ECONNREFUSED' && code !== 'ENOTFOUND'
      if (attempt === 3 || !isPassing(error) || !isThere) throw error
      await sleep(1_000, undefined, { signal })
    }
  }
}
