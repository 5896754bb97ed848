import { defineAttack } from './define.ts'
import { lengthSeconds } from './length.ts'
import { selectorContradiction, selectorFlags, selectorParams } from './network/selector.ts'

/** A dead wire: packets leave and never arrive, nothing answers, nobody is told. */
export const blackhole = defineAttack({
  type: 'blackhole',
  title: 'Blackhole',
  category: 'Network',
  summary: 'Drops network traffic in both directions without a word, like a cut wire.',
  params: { lengthSeconds, ...selectorParams },
  flags: {
    lengthSeconds: { short: 'l', long: 'length' },
    ...selectorFlags({ short: 'n', long: 'ingress-port' }),
  },
  conflicts: [],
  contradiction: selectorContradiction,
  targets: ['Host', 'Container'],
  needs: ['root, nft and ip', 'nf_tables with the egress hook (Linux 5.16), and ifb or dummy'],
  privilege: 'FAULT_BLACKHOLE',
  lengthSeconds: (params) => params.lengthSeconds,
  requested: () => ({
    metric: 'dropped',
    value: 100,
    unit: 'percent_of_packets',
    detail: {},
  }),
})
