import { existsSync, readFileSync } from 'node:fs'
import { runTool } from '../host/tool.ts'

export const ifbModule = 'ifb'
/** CAP_SYS_MODULE */
const capability = 16n

/**
 * Whether the kernel would load a module that it does not have yet, without loading it: a user may
 * want it with other parameters. False also when that cannot be told without trying.
 */
export async function canLoad(module: string): Promise<boolean> {
  if (isLoaded(module) || !mayLoad()) return false
  try {
    return isPlain(await runTool('modprobe', ['-D', module]))
  } catch {
    return false
  }
}

/** Loaded by itself it would make two devices of its own, which nobody asked for. */
export async function loadIfb(): Promise<void> {
  if (isLoaded(ifbModule)) return
  // Built in, or not there: making a device tells.
  await runTool('modprobe', [ifbModule, 'numifbs=0']).catch(() => undefined)
}

/**
 * Whether modprobe would only load files that are there, one a line, as `insmod /lib/….ko numifbs=0`.
 * A command of a user's, which it would run instead (`install …`), may do anything.
 */
export function isPlain(steps: string): boolean {
  const lines = steps.trim().split('\n')
  return lines.every((line) => {
    const path = /^insmod (\S+)/.exec(line)?.[1]
    return path !== undefined && existsSync(path)
  })
}

function isLoaded(module: string): boolean {
  return existsSync(`/sys/module/${module}`)
}

function mayLoad(): boolean {
  const status = readFileSync('/proc/self/status', 'utf8')
  const effective = BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`)
  const disabled = '/proc/sys/kernel/modules_disabled'
  const isDisabled = existsSync(disabled) && readFileSync(disabled, 'utf8').trim() !== '0'
  return !isDisabled && (effective >> capability) % 2n === 1n
}
