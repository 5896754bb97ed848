import {
  FaultError,
  type FaultContext,
  type FaultHandle,
  type InterruptedStrike,
  type StrikeOutcome,
} from './fault.ts'
import { onceDone, waiting } from './shutdown-handle.ts'
import type { HostPower, PowerChange } from './shutdown-power.ts'

/** Longer than this no host is away: the clock was set. */
const longestAwaySeconds = 30 * 24 * 3600

/** The shutdown of the host itself. @throws FaultError when this agent cannot do it */
export function hostShutdown(
  power: HostPower,
  params: { readonly reboot: boolean },
  context: FaultContext,
): { backend: string; handle: FaultHandle } {
  const problem = power.problem()
  if (problem !== undefined)
    throw new FaultError('unsupported', `This host cannot do it: ${problem}.`)
  const change: PowerChange = params.reboot ? 'reboot' : 'poweroff'
  const what = params.reboot ? 'reboots' : 'powers off'
  const at = new Date(Date.now() + context.remainingMs).toISOString()
  const inSeconds = Math.round(context.remainingMs / 1000)
  const announcement = `The host ${what} in ${inSeconds} s, at ${at}, unless the attack is halted.`
  void power.announce(`Temblor attack ${context.attackId}: ${announcement}`)
  let isOpen = true
  const handle = waiting({
    announcement,
    async strike() {
      isOpen = false
      const { survived } = await power.goDown(change)
      return {
        survived: survived.then((message) => ({ reason: 'fault_died', message })),
      }
    },
    async stop() {
      if (!isOpen) return
      isOpen = false
      await power.announce(`Temblor attack ${context.attackId} was ended: the host stays up.`)
    },
  })
  return { backend: 'init system, then reboot(2)', handle }
}

/** What became of a host that was to go down, asked by the agent's next process. */
export async function hostAfterStrike(
  power: HostPower,
  strike: InterruptedStrike,
  agentUpMs: number,
): Promise<StrikeOutcome | undefined> {
  const { bootIdBefore, bootIdNow, atMs } = strike
  const sinceMs = Date.now() - atMs
  if (bootIdBefore !== bootIdNow) {
    const seconds = Math.round(sinceMs / 1000)
    const isPlausible = seconds >= 0 && seconds < longestAwaySeconds
    const away = isPlausible
      ? `It was away for about ${seconds} s.`
      : 'Its clock was set meanwhile.'
    return {
      reason: 'completed',
      message: `The host went down and is back. ${away} Boot id ${bootIdBefore} before, ${bootIdNow} after.`,
      measured: onceDone(isPlausible ? { away_seconds: seconds } : {}),
    }
  }
  // The agent may have been started once more while init is stopping everything.
  const isEarly = Math.max(sinceMs, agentUpMs) < power.patienceMs
  if (isEarly || (await power.isGoingDown())) return undefined
  return {
    reason: 'fault_died',
    message: `The host did not go down: it still runs with the boot id ${bootIdNow}.`,
  }
}
