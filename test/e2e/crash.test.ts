import { rmSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { cpuAttack } from '../support/api.ts'
import { descendants, stillThere } from '../support/processes.ts'
import { startService, temporaryDir } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'
import { untilGone } from '../support/until-gone.ts'

const dirs: string[] = []
/** A data folder that outlives the services of one test. */
function dataDir(): string {
  const dir = temporaryDir()
  dirs.push(dir)
  return dir
}
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
})

describe('what was answered with 201', () => {
  test.each([['controller'], ['redis']] as const)(
    'is on record when the %s is killed right after, and nothing burns',
    async (name) => {
      const dir = dataDir()
      const first = await startService({}, dir)
      const children = descendants(first.process.pid)
      const ran = await first.owner.attack(cpuAttack('-l 1 -p 1'))
      await first.owner.finished(ran)
      const before = await first.owner.readAttack(ran)
      const id = await first.owner.attack(cpuAttack('-l 600 -p 20'))
      process.kill(first.part(name).pid, 'SIGKILL')
      const late = descendants(first.process.pid)
      await until('npm start has ended', () => first.process.hasEnded(), 40_000)
      const { code } = await first.process.ended
      expect(code).not.toBe(0)
      expect(first.process.output()).toContain(name)
      await untilGone([...children, ...late])

      const again = await startService({}, dir)
      try {
        expect(await again.owner.readAttack(ran)).toEqual(before)
        expect(await again.owner.readAttack(id)).toMatchObject({ guid: id })
        // An order that the agent had taken ends with its restart. One that it had not taken yet is
        // still good for half a minute: then the attack runs now, once, and can be halted.
        const settled = await until(
          'the attack has ended or runs',
          async () => {
            const rows = await again.owner.executions(id)
            return rows.every((row) => row.end_time !== null || row.stage === 'Running') && rows
          },
          20_000,
          apiPollMs,
        )
        expect(settled).toHaveLength(1)
        const runs = settled[0]?.stage === 'Running'
        if (runs) await again.owner.halt(id)
        const [end] = await again.owner.finished(id)
        // One that ran before the crash runs on record until its agent has told of the restart.
        const isHalted = runs && end?.reason !== 'agent_restarted'
        expect(end).toMatchObject({ task_id: id, stage_lifecycle: isHalted ? 'Complete' : 'Error' })
        const next = await again.owner.attack(cpuAttack('-l 1 -p 1'))
        expect(await again.owner.finished(next)).toMatchObject([{ stage: 'Successful' }])
      } finally {
        await again.stop()
      }
    },
  )
})

describe('npm start that is ended otherwise than by Ctrl-C', () => {
  test.each([['SIGTERM'], ['SIGHUP']] as const)(
    '%s halts, reverts and ends too',
    async (signal) => {
      const service = await startService({}, dataDir())
      const id = await service.owner.attack(cpuAttack('-l 600 -p 20'))
      await service.owner.running(id)
      const children = descendants(service.process.pid)
      await service.process.stop(signal)
      expect(stillThere(children)).toEqual([])
    },
  )

  test('SIGKILL: the fault ends, no process stays, and it starts again on the same folder', async () => {
    const dir = dataDir()
    const service = await startService({}, dir)
    const id = await service.owner.attack(cpuAttack('-l 600 -p 20'))
    await service.owner.running(id)
    const agent = service.part('agent')
    const burners = descendants(agent.pid)
    const children = descendants(service.process.pid)
    process.kill(service.process.pid, 'SIGKILL')
    await until('nothing burns', () => stillThere(burners).length === 0, 5000)
    await untilGone(children, 20_000)

    const again = await startService({}, dir)
    try {
      const [row] = await again.owner.finished(id, 20_000)
      expect(['ClientAborted', 'UserHalted']).toContain(row?.stage)
      const next = await again.owner.attack(cpuAttack('-l 1 -p 1'))
      expect(await again.owner.finished(next)).toMatchObject([{ stage: 'Successful' }])
    } finally {
      await again.stop()
    }
  })
})
