import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionUpdate } from '../../agent/execution-update.ts'
import { far, near, networkHost, type NetworkHost } from '../support/network-host.ts'
import { executorIn, type NamespaceExecutor } from './executor-in-namespace.ts'

const delayMs = 100
let host: NetworkHost
let agent: NamespaceExecutor
beforeAll(async () => {
  host = await networkHost()
  await Promise.all([host.near.serve(9000), host.far.serve(9000)])
  // What the host talks to most is not delayed by an attack on its first wire: itself, and another wire.
  for (let index = 0; index < 8; index += 1) {
    await host.near.open(`own ${index}`, near.wire, 9000)
    await host.near.open(`other wire ${index}`, far.otherWire, 9000)
  }
  await host.near.open('first', far.first, 9000)
  agent = await executorIn(host.path)
})
afterEach(() => agent.haltAll())
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]()
  await host?.[Symbol.asyncDispose]()
})

/**
 * Of a few connections each waits when this machine is busy, and more of them say what is so; what a wrong
 * selection measures stays wrong.
 */
const isMeasured = ({ measured }: ExecutionUpdate) =>
  (measured?.detail['probes'] ?? 0) >= 6 && Math.abs((measured?.value ?? 0) - delayMs) < 40

describe('the delay that is measured', () => {
  it.each<[string, object]>([
    ['of one wire', { devices: ['eth0'] }],
    ['of one port on it', { devices: ['eth0'], remotePorts: ['9000'] }],
    ['of the other wire', { devices: ['eth1'] }],
  ])('%s is as asked, whatever else the host talks to', async (_, chosen) => {
    const id = agent.attack('latency', { lengthSeconds: 60, delayMs, ...chosen })
    const { measured } = await agent.reached(id, isMeasured)
    expect(measured).toMatchObject({ metric: 'added_delay', unit: 'ms' })
  })
})
