import { attackTypes } from '../../shared/attacks/index.ts'
import { selectorOf, type Sides } from '../../shared/attacks/network/selector.ts'
import type { Values } from '../../shared/attacks/params.ts'
import { probeNetwork } from '../network/capability.ts'
import { Gate, holdFor, type Counters } from '../network/gate.ts'
import { startOnce } from '../network/in-force.ts'
import { makeDeadEnd, readDeadEnd, removeLink } from '../network/link.ts'
import { followNames, trafficNotes } from '../network/name-refresh.ts'
import { runIn } from '../network/namespace.ts'
import { buildRuleset } from '../network/ruleset.ts'
import { findTraffic, type TargetTraffic } from '../network/target-traffic.ts'
import {
  linkName,
  tableName,
  undoLink,
  undoNetwork,
  undoProcesses,
  undoTable,
} from '../network/undo.ts'
import type { Fault, FaultContext, FaultHandle, Measurement } from './fault.ts'

type BlackholeParams = Values<typeof attackTypes.blackhole.params>

const kind = 'blackhole'
/** After a user's own rules, before a delay: what is lost is not delayed first. */
const priority = 290

/**
 * What leaves is sent to a device that is down, which no socket notices; what comes in is dropped at
 * the device. Nothing of the host's own rules and queues is touched.
 */
export const blackhole: Fault = {
  async probe() {
    const { base, egressHook, ifb } = await probeNetwork()
    const reason = base ?? egressHook ?? ifb
    return reason === undefined ? { ok: true } : { ok: false, reason }
  },

  async prepare(params, target, context) {
    const selector = selectorOf(params as BlackholeParams)
    const found = await findTraffic(selector, target, context)
    // A cut wire has no hole: there is nothing to compare with.
    const traffic = { ...found, plan: { ...found.plan, sparedLocalPort: undefined } }
    return {
      requested: attackTypes.blackhole.requested(params as BlackholeParams, { cores: 0 }),
      backend: `nft drop, both directions, on ${traffic.plan.devices.join(', ')}`,
      undo: [
        undoLink(traffic),
        undoTable(kind, 'netdev', traffic),
        undoProcesses(context, traffic),
      ],
      start: () =>
        startOnce(kind, context.attackId, target, traffic, () =>
          cut(traffic, selector.hostnames, context),
        ),
    }
  },

  undo: undoNetwork,
}

async function cut(
  traffic: TargetTraffic,
  names: Sides,
  { remainingMs }: FaultContext,
): Promise<FaultHandle> {
  const { namespace, plan, devices, observer } = traffic
  const [link, table] = [linkName(traffic), tableName(kind, traffic)]
  await makeDeadEnd(namespace, link)
  const ruleset = buildRuleset(plan, {
    table,
    family: 'netdev',
    priority,
    holdMs: holdFor(remainingMs),
    hooks: [
      { direction: 'egress', verdict: `fwd to "${link}"` },
      { direction: 'ingress', verdict: 'drop' },
    ],
  })
  await runIn(namespace, 'nft', ['-f', '-'], ruleset)
  const gate = new Gate({ namespace, family: 'netdev', table, remainingMs, hooked: devices })
  const following = followNames(traffic, names, gate)
  const startedAt = performance.now()
  let swallowed: number | undefined
  return {
    died: observer ? Promise.race([gate.died, observer.died]) : gate.died,
    measure: () => measurement(gate.counters, swallowed, performance.now() - startedAt),
    notes: () => trafficNotes(following.addresses, gate),
    async stop() {
      following.close()
      await observer?.close()
      await gate.close()
      swallowed ??= await readDeadEnd(namespace, link).catch(() => undefined)
      await removeLink(namespace, link)
    },
  }
}

/** `swallowed`: what the dead end has lost; undefined when that is all that was sent there. */
function measurement(
  { egress, ingress }: Counters,
  swallowed: number | undefined,
  wholeMs: number,
): Measurement | undefined {
  const matched = egress.packets + ingress.packets
  if (matched === 0) return undefined
  const dropped = ingress.packets + Math.min(egress.packets, swallowed ?? egress.packets)
  const effect = {
    metric: 'dropped',
    value: (100 * dropped) / matched,
    unit: 'percent_of_packets',
    detail: {
      matched_packets: matched,
      egress_packets: egress.packets,
      ingress_packets: ingress.packets,
      bytes: egress.bytes + ingress.bytes,
    },
  }
  return { latest: effect, whole: effect, wholeMs }
}
