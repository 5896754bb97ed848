import { describe, expect, test } from 'vitest'
import { cpuAttack } from '../support/api.ts'
import { startGuest } from '../support/guest/guest.ts'
import {
  installAgent,
  joinLineForGuests,
  startGuestService,
  untilInTeam,
} from '../support/guest/installed.ts'
import { shared } from '../support/guest/shared.ts'
import { until } from '../support/until.ts'

const unit = 'temblor-agent.service'
const unitFile = `/etc/systemd/system/${unit}`
const slow = { timeoutMs: 120_000 }

describe('the agent as a service of a real host', () => {
  const rig = shared(async (own) => {
    const [service, guest] = await Promise.all([
      startGuestService().then((one) => own.use(one)),
      startGuest({ name: 'web-1' }).then((one) => own.use(one)),
    ])
    return { service, guest, owner: service.owner }
  })
  const agentPid = async () =>
    Number(await rig().guest.ok(['systemctl', 'show', '--value', '-p', 'MainPID', unit]))
  const onGuest = (args: string) => cpuAttack(args, { type: 'Exact', exact: [rig().guest.name] })

  test('is not installed on a host that has joined no team', async () => {
    const { guest } = rig()
    const { code, stderr } = await guest.run(['temblor', 'agent', 'install'], slow)
    expect(code).toBe(1)
    expect(stderr).toContain('temblor init')
    expect((await guest.run(['test', '-e', unitFile])).code).toBe(1)
  })

  test('joins with the line, starts, and the controller sees the host', async () => {
    const { guest, service, owner } = rig()
    await guest.ok(['temblor', 'init'], { ...slow, input: `${joinLineForGuests(service)}\n` })
    await guest.ok(['temblor', 'agent', 'install'], slow)
    const client = await untilInTeam(owner, guest)
    expect(client).toMatchObject({
      state: 'ACTIVE',
      boot_id: await guest.bootId(),
      os_name: expect.stringContaining('Debian') as string,
    })
  })

  test('an attack runs there to its end, with its effect measured', async () => {
    const { owner } = rig()
    const id = await owner.attack(onGuest('-l 10 -a -p 30'))
    const [execution] = await owner.finished(id, 90_000)
    expect(execution).toMatchObject({ stage: 'Successful', client_id: rig().guest.name })
    expect(execution?.measured?.value).toBeGreaterThan(20)
    expect(execution?.measured?.value).toBeLessThan(40)
  })

  test('installing again leaves a running agent alone', async () => {
    const { guest, service } = rig()
    const pid = await agentPid()
    await installAgent(guest, service)
    expect(await agentPid()).toBe(pid)
  })

  test('killed in an attack, it is started again and takes the attack back', async () => {
    const { guest, owner } = rig()
    const id = await owner.attack(onGuest('-l 300 -c 1 -p 10'))
    await owner.running(id, 60_000)
    const pid = await agentPid()
    await guest.ok(['kill', '-KILL', String(pid)])
    const [execution] = await owner.finished(id, 120_000)
    expect(execution).toMatchObject({ stage: 'ClientAborted' })
    expect(await agentPid()).not.toBe(pid)
    expect((await guest.run(['pgrep', '-f', 'cpu-burner'])).code).toBe(1)
  })

  test('comes back by itself when the host has rebooted', async () => {
    const { guest, owner } = rig()
    const bootId = await guest.bootId()
    await guest.order('reboot')
    await guest.untilRebooted(bootId)
    const client = await untilInTeam(owner, guest, bootId)
    expect(client.boot_id).toBe(await guest.bootId())
  })

  test('uninstalled, it ends its attacks and leaves no unit and no process', async () => {
    const { guest, owner } = rig()
    const id = await owner.attack(onGuest('-l 300 -c 1 -p 10'))
    await owner.running(id, 60_000)
    await guest.ok(['temblor', 'agent', 'uninstall'], slow)
    await until('the attack is over', async () => (await owner.finished(id))[0]?.end_time)
    const units = await guest.ok(['systemctl', 'list-units', '--all', '--plain', '--no-legend'])
    expect(units).not.toContain('temblor-agent')
    const left = await guest.run([
      'sh',
      '-c',
      'ls /etc/systemd/system/*temblor* /etc/systemd/system/*/*temblor*',
    ])
    expect(left.stdout).toBe('')
    expect((await guest.run(['pgrep', '-f', '/opt/temblor/agent'])).code).toBe(1)
    const again = await guest.ok(['temblor', 'agent', 'uninstall'], slow)
    expect(again).toContain('was not installed')
  })
})
