import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHostPower, journalProblem, type Machine } from './shutdown-power.ts'

/** Outlasts a host, by its name; nothing is ever written there. */
const lasting = '/var/lib/temblor-nowhere'

/** A machine that only writes down what it is asked. */
function recordedMachine(there: readonly string[], change: Partial<Machine> = {}) {
  const asked: string[] = []
  const machine: Machine = {
    run(program, args) {
      asked.push([program, ...args].join(' '))
      return Promise.resolve('')
    },
    rebootCall: (what) => void asked.push(`reboot(2) ${what}`),
    exists: (path) => there.includes(path),
    problem: () => undefined,
    hasOwnFiles: () => false,
    ...change,
  }
  return { asked, machine }
}

/** A machine on which systemd has these jobs. */
function withJobs(text: string): Machine {
  return recordedMachine(['/run/systemd/system'], { run: () => Promise.resolve(text) }).machine
}

const noWait = { orderly: 0, lastResort: 0 }
const longWait = { orderly: 600_000, lastResort: 0 }

describe('taking a host down', () => {
  it.each([
    ['reboot', 'systemctl --no-wall reboot'],
    ['poweroff', 'systemctl --no-wall poweroff'],
  ] as const)('%s asks systemd where it runs, after a sync', async (change, command) => {
    const { asked, machine } = recordedMachine(['/run/systemd/system', '/sbin/shutdown'])
    await createHostPower(lasting, machine, longWait).goDown(change)
    expect(asked).toEqual(['sync', command])
  })

  it.each([
    ['reboot', 'shutdown -r now'],
    ['poweroff', 'shutdown -h now'],
  ] as const)('%s asks shutdown where there is no systemd', async (change, command) => {
    const { asked, machine } = recordedMachine(['/usr/sbin/shutdown'])
    await createHostPower(lasting, machine, longWait).goDown(change)
    expect(asked).toEqual(['sync', command])
  })

  it('asks the kernel when nobody else would do it', async () => {
    const { asked, machine } = recordedMachine([])
    await createHostPower(lasting, machine, longWait).goDown('reboot')
    expect(asked).toEqual(['sync', 'reboot(2) reboot'])
  })

  it('asks shutdown, then the kernel, when systemd refuses', async () => {
    const asked: string[] = []
    const { machine } = recordedMachine(['/run/systemd/system', '/sbin/shutdown'], {
      run(program) {
        asked.push(program)
        return program === 'sync' ? Promise.resolve('') : Promise.reject(new Error('No.'))
      },
      rebootCall: (change) => void asked.push(change),
    })
    await createHostPower(lasting, machine, longWait).goDown('poweroff')
    expect(asked).toEqual(['sync', 'systemctl', 'shutdown', 'poweroff'])
  })

  it('asks the kernel when init did not do it, and says when that did not help either', async () => {
    const { asked, machine } = recordedMachine(['/run/systemd/system'])
    const { survived } = await createHostPower(lasting, machine, noWait).goDown('reboot')
    expect(await survived).toContain('did not go down')
    expect(asked.slice(2)).toEqual(['sync', 'reboot(2) reboot'])
  })

  it('goes through the first process of the host from a container', async () => {
    const there = ['/proc/1/root/run/systemd/system']
    const { asked, machine } = recordedMachine(there, { hasOwnFiles: () => true })
    await createHostPower(lasting, machine, longWait).goDown('reboot')
    expect(asked.at(-1)).toBe('nsenter --target=1 --mount -- systemctl --no-wall reboot')
  })

  it('knows from the jobs of systemd that the host goes down', async () => {
    const goingDown = withJobs('128 reboot.target start waiting\n')
    expect(await createHostPower(lasting, goingDown).isGoingDown()).toBe(true)
    expect(await createHostPower(lasting, withJobs('')).isGoingDown()).toBe(false)
  })
})

describe('what must be refused', () => {
  it('asks nobody when the process may not, whoever forgot to look', async () => {
    const { asked, machine } = recordedMachine(['/run/systemd/system'], {
      problem: () => 'not root',
    })
    const power = createHostPower(lasting, machine, longWait)
    expect(power.problem()).toBe('not root')
    await expect(power.goDown('reboot')).rejects.toThrow('not root')
    expect(asked).toEqual([])
  })

  it('asks nobody when the journal would be lost: the same order could come again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'temblor-power-'))
    const { asked, machine } = recordedMachine(['/run/systemd/system'])
    const power = createHostPower(folder, machine, longWait)
    expect(power.problem()).toContain('does not outlast the host')
    await expect(power.goDown('poweroff')).rejects.toThrow('does not outlast the host')
    expect(asked).toEqual([])
  })

  it.each(['/tmp', '/tmp/x/y', '/run/temblor', '/dev/shm/temblor', '/var/tmp/t'])(
    '%s does not outlast a host',
    (folder) => expect(journalProblem(folder)).toContain(folder),
  )

  it('/var/lib does', () => expect(journalProblem(lasting)).toBeUndefined())
})
