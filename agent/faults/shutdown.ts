import { attackTypes } from '../../shared/attacks/index.ts'
import type { ContainerControl } from '../containers/source.ts'
import type { Fault } from './fault.ts'
import { containerShutdown } from './shutdown-container.ts'
import { hostAfterStrike, hostShutdown } from './shutdown-host.ts'
import type { HostPower } from './shutdown-power.ts'

export interface ShutdownParams {
  readonly delayMinutes: number
  readonly reboot: boolean
  readonly crash: boolean
  readonly allowControllerHost: boolean
}

/** What a shutdown needs of the host. */
export interface ShutdownDeps {
  readonly power: HostPower
  readonly containers: ContainerControl
}

/** Takes the host or a container down when the delay is over. Nothing is done, or undone, before. */
export function createShutdown({ power, containers }: ShutdownDeps): Fault {
  const bornAt = performance.now()
  return {
    probe(targetKind) {
      const reason = targetKind === 'Host' ? power.problem() : undefined
      return Promise.resolve(reason === undefined ? { ok: true } : { ok: false, reason })
    },

    async prepare(given, target, context) {
      const params = given as unknown as ShutdownParams
      const { backend, handle } =
        target.kind === 'Host'
          ? hostShutdown(power, params, context)
          : await containerShutdown(containers, params, target)
      return {
        requested: attackTypes.shutdown.requested({ ...params }, { cores: 0 }),
        backend,
        undo: [],
        start: () => Promise.resolve(handle),
      }
    },

    undo: () => Promise.resolve(),

    async afterStrike(strike) {
      if (strike.targetKind === 'Host')
        return await hostAfterStrike(power, strike, performance.now() - bornAt)
      return { reason: 'agent_restarted', message: uncertain }
    },
  }
}

const uncertain =
  'The agent was restarted while it took the container down; the container may have been stopped.'
