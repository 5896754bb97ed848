import { describe, expect, it } from 'vitest'
import {
  countList,
  findCpuGroups,
  groupFolder,
  parseGroupMounts,
  parseMemberships,
} from './control-groups.ts'

const id = 'c0ffee'
const splitV1 = `9:name=systemd:/docker/${id}
4:memory:/docker/${id}
3:cpuset:/docker/${id}
2:cpuacct:/docker/${id}
1:cpu:/docker/${id}
0::/
`
const splitMounts = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`

function folderOf(memberships: string, controller: string, version: 1 | 2, mounts: string) {
  const one = parseMemberships(memberships).find(({ controllers, line }) =>
    controller ? controllers.includes(controller) : line.startsWith('0::'),
  )
  return one && groupFolder(one, version, parseGroupMounts(mounts))?.folder
}

describe('control group paths', () => {
  it('finds cpu and cpuacct that are mounted apart', () => {
    expect(folderOf(splitV1, 'cpu', 1, splitMounts)).toBe(`/sys/fs/cgroup/cpu/docker/${id}`)
    expect(folderOf(splitV1, 'cpuacct', 1, splitMounts)).toBe(`/sys/fs/cgroup/cpuacct/docker/${id}`)
    expect(folderOf(splitV1, 'cpuset', 1, splitMounts)).toBeUndefined()
  })

  it('finds cpu and cpuacct that are mounted together', () => {
    const mounts = '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n'
    expect(folderOf('4:cpu,cpuacct:/docker/x\n', 'cpu', 1, mounts)).toBe(
      '/sys/fs/cgroup/cpu,cpuacct/docker/x',
    )
  })

  it('finds groups of v2, with a colon and a space on the way', () => {
    const mounts = String.raw`30 23 0:26 / /sys/fs/my\040groups rw shared:4 - cgroup2 cgroup2 rw,nsdelegate`
    expect(folderOf('0::/system.slice/docker-a:b.scope\n', '', 2, mounts)).toBe(
      '/sys/fs/my groups/system.slice/docker-a:b.scope',
    )
  })

  it('follows a mount that shows only a part of the hierarchy', () => {
    const mounts = '30 23 0:26 /docker /mnt/cpu ro - cgroup cgroup rw,cpu\n'
    expect(folderOf('1:cpu:/docker/x\n', 'cpu', 1, mounts)).toBe('/mnt/cpu/x')
    expect(folderOf('1:cpu:/dockerx/y\n', 'cpu', 1, mounts)).toBeUndefined()
  })

  it('sees which mounts are read-only', () => {
    const mounts = `${splitMounts}30 23 0:26 /docker /mnt/cpu ro,nosuid - cgroup cgroup rw,cpu\n`
    expect(parseGroupMounts(mounts).map(({ readOnly }) => readOnly)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it('counts lists of CPUs', () => {
    expect(countList('0-3,8\n')).toBe(5)
    expect(countList('7')).toBe(1)
  })

  it('never takes the root group for a target', () => {
    expect(() => findCpuGroups(1)).toThrow(/no control group of its own|not mounted|no CPU control/)
  })
})
