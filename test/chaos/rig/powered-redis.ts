import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findRedisServer } from '../../../deploy/local/redis.ts'
import { freePorts } from '../../support/free-ports.ts'
import { guestImage } from '../../support/guest/image.ts'
import { tool } from '../../support/guest/tool.ts'

/** An emulated machine that does nothing but run this machine's Redis; to kill it is to cut its power. */
export interface PoweredRedis {
  readonly program: string
  readonly args: readonly string[]
  /** Where Redis answers, on loopback. */
  readonly port: number
}

const memoryMb = 256

/**
 * Prepares it in this folder. What Redis has synced is on its disk after the power was cut, and what it has written
 * without that is lost.
 * @throws Error when images of guests cannot be made here
 */
export async function preparePoweredRedis(
  dir: string,
  settings: readonly string[],
): Promise<PoweredRedis> {
  const image = await guestImage()
  const disk = path.join(dir, 'redis.qcow2')
  await tool('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', image.disk, '-F', 'raw', disk])
  const initrd = path.join(dir, 'redis-initrd')
  await makeInitrd(image.initrd, initrd, settings)
  const [port = 0] = await freePorts(1)
  const options: [name: string, value: string][] = [
    ['-display', 'none'],
    ['-machine', 'q35,usb=off,vmport=off,smm=off,hpet=off'],
    ['-accel', 'tcg,thread=multi,tb-size=128'],
    ['-cpu', 'max'],
    ['-smp', '1'],
    ['-m', String(memoryMb)],
    ['-kernel', image.kernel],
    ['-initrd', initrd],
    ['-append', 'console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off'],
    // Writes go out as the guest flushes them.
    ['-drive', `file=${disk},if=none,id=disk,format=qcow2,cache=writeback`],
    ['-device', 'virtio-blk-pci,drive=disk'],
    ['-device', 'virtio-rng-pci'],
    ['-netdev', `user,id=eth0,hostfwd=tcp:127.0.0.1:${port}-:6379`],
    ['-device', 'virtio-net-pci,netdev=eth0,romfile='],
    ['-serial', 'stdio'],
  ]
  const args = ['-nodefaults', '-no-user-config', '-no-reboot', ...options.flat()]
  return { program: 'qemu-system-x86_64', args, port }
}

/** The initrd of guests with Redis, its libraries and another first program: later files replace earlier ones. */
async function makeInitrd(base: string, target: string, settings: readonly string[]) {
  const folder = `${target}.d`
  const lib = path.join(folder, 'redis')
  mkdirSync(lib, { recursive: true })
  const server = findRedisServer()
  copyFileSync(server, path.join(lib, 'redis-server'))
  const libraries = await librariesOf(server)
  for (const file of libraries) copyFileSync(file, path.join(lib, path.basename(file)))
  writeFileSync(path.join(folder, 'init'), initScript(settings), { mode: 0o755 })
  const names = ['init', 'redis', ...libraries.map((file) => `redis/${path.basename(file)}`)]
  const input = [...names, 'redis/redis-server'].join('\n')
  await tool('cpio', ['--quiet', '-o', '-H', 'newc', '-O', `${target}.more`], {
    cwd: folder,
    input,
  })
  writeFileSync(target, Buffer.concat([readFileSync(base), readFileSync(`${target}.more`)]))
  rmSync(folder, { recursive: true })
  rmSync(`${target}.more`)
}

async function librariesOf(program: string): Promise<string[]> {
  const lines = (await tool('ldd', [program])).split('\n')
  return lines.flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}

function initScript(settings: readonly string[]): string {
  return `#!/bin/busybox sh
b=/bin/busybox
$b mount -t devtmpfs none /dev
for again in 1 2 3; do
  for module in /modules/*.ko; do $b insmod $module 2>/dev/null; done
done
until [ -b /dev/vda ]; do $b usleep 10000; done
$b mount -t ext4 -o rw,noatime /dev/vda /root
$b mount -t proc none /root/proc
$b chroot /root /sbin/modprobe virtio_net
$b ip link set lo up
$b ip link set eth0 up
$b ip address add 10.0.2.15/24 dev eth0
$b ip route add default via 10.0.2.2
$b mkdir -p /root/redis
cd /root/redis
ld="/redis/ld-linux-x86-64.so.2 --library-path /redis"
while true; do
  $ld /redis/redis-server --port 6379 --protected-mode no ${settings.join(' ')}
  # What was written and not synced may have left a hole, which whoever runs Redis has to cut off.
  echo y | $ld --argv0 redis-check-aof /redis/redis-server --fix appendonlydir/appendonly.aof.manifest
done
`
}
