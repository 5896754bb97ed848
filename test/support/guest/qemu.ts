import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { GuestImage } from './image.ts'

/** What a guest is made of. */
export interface Machine {
  readonly name: string
  readonly memoryMb: number
  readonly kernelArgs: readonly string[]
  readonly image: GuestImage
  readonly project: string
  /** Holds the disk's own layer, the console's log and the sockets. */
  readonly dir: string
}

/** How QEMU ended: with code 0 when the guest powered itself off. */
export interface QemuEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running QEMU; it ends with this process, whatever ends this process. */
export interface Qemu {
  readonly child: ChildProcess
  readonly exited: Promise<QemuEnd>
}

export const diskFile = (dir: string): string => join(dir, 'disk.qcow2')
export const consoleFile = (dir: string): string => join(dir, 'console')
export const agentSocket = (dir: string): string => join(dir, 'agent')

/** Starts QEMU on the machine's disk, as it is. */
export function startQemu(machine: Machine): Qemu {
  const args = ['--pdeathsig', 'KILL', 'qemu-system-x86_64', ...qemuArgs(machine)]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const exited = new Promise<QemuEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === null || code === 0) resolve({ code, signal })
      else reject(new Error(`QEMU of guest ${machine.name} ended with ${code}: ${complaints}`))
    })
  })
  // Whoever waits for the end hears of it; others must not die of it.
  exited.catch(() => {})
  return { child, exited }
}

function qemuArgs(machine: Machine): string[] {
  const { name, image, project, dir } = machine
  const options: [name: string, value: string][] = [
    ['-name', name],
    ['-display', 'none'],
    // Pure emulation everywhere: what passes here passes on every machine.
    ['-machine', 'q35,usb=off,vmport=off,smm=off,hpet=off'],
    ['-accel', 'tcg,tb-size=256'],
    ['-cpu', 'max'],
    // Two that wait for each other hang for seconds, now and then for ever, when this machine is busy.
    ['-smp', '1'],
    ['-m', String(machine.memoryMb)],
    ['-kernel', image.kernel],
    ['-initrd', image.initrd],
    ['-append', kernelLine(machine)],
    // Writes go out as the guest flushes them: after a power cut exactly what it has synced is there.
    ['-drive', `file=${diskFile(dir)},if=none,id=disk,format=qcow2,cache=writeback`],
    ['-device', 'virtio-blk-pci,drive=disk'],
    ['-drive', `file=${project},if=none,id=project,format=raw,readonly=on`],
    ['-device', 'virtio-blk-pci,drive=project'],
    ['-device', 'virtio-rng-pci'],
    ['-netdev', 'user,id=eth0'],
    ['-device', 'virtio-net-pci,netdev=eth0,romfile='],
    ['-chardev', `socket,id=agent,path=${agentSocket(dir)},server=on,wait=off`],
    ['-device', 'virtio-serial-pci'],
    ['-device', 'virtserialport,chardev=agent,name=org.qemu.guest_agent.0'],
    ['-chardev', `file,id=console,path=${consoleFile(dir)},append=on`],
    ['-serial', 'chardev:console'],
  ]
  return ['-nodefaults', '-no-user-config', ...options.flat()]
}

function kernelLine({ name, kernelArgs }: Machine): string {
  const args = ['console=ttyS0', 'quiet', 'loglevel=4', 'panic=5', 'mitigations=off']
  args.push('net.ifnames=0', `systemd.hostname=${name}`, 'systemd.show_status=no')
  return [...args, ...kernelArgs].join(' ')
}
