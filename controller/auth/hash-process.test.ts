import { readFileSync } from 'node:fs'
import os from 'node:os'
import { describe, expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import { createHashProcess } from './hash-process.ts'

const isGone = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return true
  }
}

/** SCHED_IDLE of sched(7), field 41 of proc_pid_stat(5). */
const idleClass = 5
const policyOf = (pid: number) =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[38],
  )

describe('the process that hashes', () => {
  it('hashes and verifies with low priority, and ends when it is closed', async () => {
    const hasher = createHashProcess(() => undefined)
    expect(hasher.pid).toBeUndefined()
    const stored = await hasher.hash('correct horse')
    const pid = hasher.pid as number
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await hasher.verify(stored, 'correct horse')).toBe(true)
    expect(await hasher.verify(stored, 'correct mule')).toBe(false)
    expect(await hasher.verify('not a hash', 'anything')).toBe(false)
    await until('it is of the idle class', () => policyOf(pid) === idleClass)
    expect(os.getPriority(pid)).toBe(10)
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('PATH=')
    await hasher.close()
    expect(isGone(pid)).toBe(true)
    expect(await hasher.verify(stored, 'correct horse')).toBe(true)
  })

  it('is there before it is needed', async () => {
    const hasher = createHashProcess(() => undefined, 1)
    const pid = await until('it runs', () => hasher.pid)
    await hasher.close()
    expect(isGone(pid)).toBe(true)
    expect(hasher.pid).toBeUndefined()
  })

  it('when it gets no core, this process hashes, and hashes alone for a while', async () => {
    const hasher = createHashProcess(() => undefined)
    const stored = await hasher.hash('correct horse')
    const pid = hasher.pid as number
    process.kill(pid, 'SIGSTOP')
    expect(await hasher.verify(stored, 'correct horse')).toBe(true)
    expect(await hasher.verify(stored, 'correct mule')).toBe(false)
    process.kill(pid, 'SIGCONT')
    await hasher.close()
    expect(isGone(pid)).toBe(true)
  })

  it('when it is killed all that was asked is answered rightly', async () => {
    const troubles: string[] = []
    const hasher = createHashProcess((error) => void troubles.push(error.message))
    const stored = await hasher.hash('correct horse')
    const asked = Array.from({ length: 6 }, (_, index) =>
      hasher.verify(stored, index % 2 === 0 ? 'correct horse' : 'wrong'),
    )
    process.kill(hasher.pid as number, 'SIGKILL')
    expect(await Promise.all(asked)).toEqual([true, false, true, false, true, false])
    // All may be answered before: where others have the cores, it takes its time with its end, too.
    await until('its end is noticed', () => troubles.length > 0)
    expect(troubles).toEqual(['The process that hashes passwords ended: SIGKILL.'])
    expect(hasher.pid).toBeUndefined()
    expect(await hasher.verify(stored, 'correct horse')).toBe(true)
    await hasher.close()
  })
})
