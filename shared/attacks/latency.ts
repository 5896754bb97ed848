import { defineAttack } from './define.ts'
import { lengthSeconds } from './length.ts'
import { selectorContradiction, selectorFlags, selectorParams } from './network/selector.ts'

/** Delays packets. A round trip grows by the delay once, a request by as many as it has round trips. */
export const latency = defineAttack({
  type: 'latency',
  title: 'Latency',
  category: 'Network',
  summary: 'Delays network traffic: round trips and connects take longer by the delay, once.',
  params: {
    lengthSeconds,
    delayMs: {
      type: 'integer',
      default: 100,
      minimum: 1,
      maximum: 60_000,
      unit: 'ms',
      title: 'Delay',
      description: 'How much longer a round trip takes.',
    },
    ...selectorParams,
  },
  flags: {
    lengthSeconds: { short: 'l', long: 'length' },
    delayMs: { short: 'm', long: 'ms' },
    ...selectorFlags({ short: 's', long: 'src-port' }),
  },
  conflicts: [],
  contradiction: selectorContradiction,
  targets: ['Host', 'Container'],
  needs: ['root, nft, ip and tc', 'sch_netem and ifb, or else nfnetlink_queue, in the kernel'],
  privilege: 'FAULT_LATENCY',
  lengthSeconds: (params) => params.lengthSeconds,
  requested: (params) => ({
    metric: 'added_delay',
    value: params.delayMs,
    unit: 'ms',
    detail: {},
  }),
})
