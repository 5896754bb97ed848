import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuSeconds, findByArgument } from '../../agent/host/processes.ts'
import { repository, startNode } from '../support/command.ts'
import { cpuRate } from '../support/effect.ts'
import { until } from '../support/until.ts'
import { executorThrough, type NamespaceExecutor } from './executor-in-namespace.ts'
import { smallDisk, type SmallDisk } from './small-disk.ts'

let disk: SmallDisk
let agent: NamespaceExecutor
beforeAll(async () => {
  disk = await smallDisk(64)
  const { stateDir, instanceId } = disk
  agent = await executorThrough(disk.namespaces, { stateDir, instanceId })
})
afterAll(async () => {
  for (const { pid } of agent?.helpers() ?? []) process.kill(pid, 'SIGKILL')
  await agent?.[Symbol.asyncDispose]()
  await disk?.[Symbol.asyncDispose]()
})

const burners = (id: string) => findByArgument(`temblor:${disk.instanceId}:${id}`)
/** Cores that the burners of an execution take, as the kernel counts them. */
const burnt = (id: string) =>
  cpuRate(() => burners(id).reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? 0), 0), 1)
const load = (lengthSeconds: number) => agent.attack('cpu', { lengthSeconds, percent: 20 })
const rollBack = () =>
  startNode(
    [join(repository, 'agent/cli/bin.js'), 'rollback', '--json'],
    { TEMBLOR_AGENT_DIR: disk.stateDir },
    ['nsenter', ...disk.namespaces, '--'],
  ).ended

describe('an agent whose disk is full', () => {
  it('ends what is over, leaves the rest alone and begins nothing', async () => {
    const long = load(600)
    await agent.running(long)
    const short = load(2)
    await agent.running(short)
    disk.fill()
    const { reason, seq } = await agent.ended(short)
    expect(reason).toBe('completed')
    expect(burners(short)).toEqual([])
    agent.acknowledge(short, seq)
    const refused = load(600)
    expect(await agent.ended(refused)).toMatchObject({
      reason: 'start_failed',
      message: 'It was not begun. The journal cannot be written: no space left on device.',
    })
    const never = 'never-heard-of'
    agent.halt(never)
    expect(await agent.ended(never)).toMatchObject({ reason: 'halted' })
    expect(await burnt(long)).toBeGreaterThan(0.1)
    expect(burners(refused)).toEqual([])
    expect(agent.child.exitCode).toBeNull()
    expect(disk.entry(short)?.state).toBe('ACTIVE')
    expect(disk.entry(refused)).toBeUndefined()

    disk.makeRoom()
    const isWritten = (id: string) => disk.entry(id)?.state === 'DONE'
    await until('the journal is written', () => [short, refused, never].every(isWritten), 5000)
    expect(disk.entry(short)).toMatchObject({ state: 'DONE', acknowledged: true })
    expect(disk.entry(refused)).toMatchObject({ state: 'DONE', report: { reason: 'start_failed' } })
    const next = load(1)
    expect(await agent.ended(next)).toMatchObject({ reason: 'completed' })
    expect(burners(long)).toHaveLength(1)
  })

  it('takes back what is left when it is started again', async () => {
    const left = load(600)
    await agent.running(left)
    const [burner] = burners(left)
    // It does not notice that its agent is gone.
    process.kill(burner?.pid ?? 0, 'SIGSTOP')
    disk.fill()
    await agent.kill()
    expect(burners(left)).toEqual([burner])
    const first = await rollBack()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(first.stdout).ended).toContain(left)
    expect(burners(left)).toEqual([])
    expect(disk.entry(left)?.state).toBe('ACTIVE')
    disk.makeRoom()
    expect((await rollBack()).code).toBe(0)
    expect(disk.entry(left)).toMatchObject({ state: 'DONE', report: { reason: 'agent_restarted' } })
  })
})
