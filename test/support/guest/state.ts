import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CaptureOptions, HostState } from '../host-state.ts'
import type { Guest } from './guest.ts'
import { projectDir } from './recipe.ts'

/** The program and what it imports; tests are no part of what is installed in a guest. */
const program = ['host-state.ts', 'host-network.ts', 'host-files.ts', 'processes.ts']
const supportDir = '/root/support'

/** Puts the program that captures states into a guest. */
export async function putStateProgram(guest: Guest): Promise<void> {
  for (const name of program)
    await guest.write(join(supportDir, name), readFileSync(join(import.meta.dirname, '..', name)))
}

/** Captures what an attack could leave behind in a guest, to be compared by `expectSameState`. */
export async function captureGuest(guest: Guest, options: CaptureOptions = {}): Promise<HostState> {
  const node = join(projectDir, 'node_modules/.bin/node')
  const capture = [node, join(supportDir, 'host-state.ts'), JSON.stringify(options)]
  // It takes seconds of an emulated processor, in which an agent would stand still for too long.
  const command = ['nice', '-n', '19', ...capture]
  return JSON.parse(await guest.ok(command)) as HostState
}
