import type { Fault, FaultDeath } from '../../agent/faults/fault.ts'

/** A fault that does nothing, for as long as it is told to. */
export const idleFault: Fault = {
  probe: () => Promise.resolve({ ok: true }),
  prepare: () =>
    Promise.resolve({
      requested: { metric: 'cpu', value: 5, unit: 'percent_of_capacity', detail: {} },
      backend: 'none',
      undo: [{ nothing: 1 }],
      start: () =>
        Promise.resolve({
          measure: () => undefined,
          stop: () => Promise.resolve(),
          died: new Promise<FaultDeath>(() => undefined),
        }),
    }),
  undo: () => Promise.resolve(),
}
