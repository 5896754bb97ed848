import { attackTypes } from '../../shared/attacks/index.ts'
import { selectorOf } from '../../shared/attacks/network/selector.ts'
import type { Values } from '../../shared/attacks/params.ts'
import { probeNetwork, type NetworkCapability } from '../network/capability.ts'
import { refuseOverlap, startOnce } from '../network/in-force.ts'
import { delayByNetem, netemUndo, refuseForeignFilters } from '../network/netem-delay.ts'
import { delayByQueue, queueUndo } from '../network/queue-delay.ts'
import { findTraffic } from '../network/target-traffic.ts'
import { undoNetwork } from '../network/undo.ts'
import type { Fault } from './fault.ts'

type LatencyParams = Values<typeof attackTypes.latency.params>

const kind = 'latency'

/**
 * Delays what leaves, by netem on a device of ours; without netem, what comes back, by a queue of the
 * kernel that a helper process serves. Either way a round trip takes longer by the delay, once.
 */
export const latency: Fault = {
  async probe() {
    const reason = whyNot(await probeNetwork())
    return reason === undefined ? { ok: true } : { ok: false, reason }
  },

  async prepare(params, target, context) {
    const { delayMs, ...chosen } = params as LatencyParams
    const selector = selectorOf(chosen)
    const capability = await probeNetwork()
    const traffic = await findTraffic(selector, target, context)
    try {
      refuseOverlap(kind, context.attackId, traffic)
      const isNetem = netemProblem(capability) === undefined
      if (isNetem) await refuseForeignFilters(traffic)
      const order = { delayMs, names: selector.hostnames }
      const delay = isNetem ? delayByNetem : delayByQueue
      const devices = traffic.plan.devices.join(', ')
      return {
        requested: attackTypes.latency.requested(params as LatencyParams, { cores: 0 }),
        backend: isNetem
          ? `netem on ifb, what leaves by ${devices}`
          : `NFQUEUE, what comes in by ${devices}`,
        undo: isNetem ? netemUndo(traffic, context) : queueUndo(traffic, context),
        async start() {
          // Another one may have started since; from here on nothing comes in between.
          refuseOverlap(kind, context.attackId, traffic)
          return startOnce(kind, context.attackId, target, traffic, () =>
            delay(traffic, order, context, capability),
          )
        },
      }
    } catch (error) {
      await traffic.observer?.close()
      throw error
    }
  },

  undo: undoNetwork,
}

function netemProblem({ egressHook, ifb, netem }: NetworkCapability): string | undefined {
  return netem ?? egressHook ?? ifb
}

function whyNot(capability: NetworkCapability): string | undefined {
  const { base, queues } = capability
  if (base !== undefined) return base
  const netem = netemProblem(capability)
  return netem === undefined || queues === undefined ? undefined : `${netem}, and ${queues}`
}
