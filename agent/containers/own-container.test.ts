import { expect, it } from 'vitest'
import { isOwnContainer, ownIds } from './own-container.ts'

const [own, other] = ['a'.repeat(64), 'b'.repeat(64)]

it.each([
  ['v1', `12:cpu,cpuacct:/docker/${own}\n1:name=systemd:/docker/${own}`],
  ['v2 under systemd', `0::/system.slice/docker-${own}.scope`],
  ['a group below it', `0::/docker/${own}/agent`],
])('a control group of %s names the container of the agent', (_, cgroup) => {
  expect([...ownIds({ cgroup, mountinfo: '' })]).toEqual([own])
})

it('files that the engine mounts name it where control groups do not', () => {
  const mountinfo = [
    `612 600 0:50 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/${other}/diff`,
    `613 612 8:1 /var/lib/docker/containers/${own}/hostname /etc/hostname rw - ext4 /dev/sda rw`,
  ].join('\n')
  expect([...ownIds({ cgroup: '0::/', mountinfo })]).toEqual([own])
})

it('a host is in no container, although it sees the mounts of all', () => {
  const cgroup = '0::/system.slice/temblor-agent.service'
  const mountinfo = `700 29 0:60 / /var/lib/docker/containers/${other}/mounts/shm rw - tmpfs shm rw`
  expect(ownIds({ cgroup, mountinfo }).size).toBe(0)
})

it('a process with the same mounts is in the same container, whatever it is called', () => {
  const init = { pid: process.pid, startTicks: 0 }
  const target = { kind: 'Container', id: other, name: 'x', startedAt: '', init } as const
  expect(isOwnContainer(target)).toBe(true)
  expect(isOwnContainer(target, { cgroup: '', mountinfo: '', mounts: 'mnt:[1]' })).toBe(false)
  const named = { cgroup: `0::/docker/${other}`, mountinfo: '', mounts: 'mnt:[1]' }
  expect(isOwnContainer(target, named)).toBe(true)
})
