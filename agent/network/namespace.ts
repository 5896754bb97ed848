import { readdirSync, statSync } from 'node:fs'
import type { FaultTarget } from '../faults/fault.ts'
import { hostProcess } from '../host/host-process.ts'
import { runTool } from '../host/tool.ts'

/** A network namespace; the process is one that was in it. Plain, for undo records. */
export interface NamespaceRef {
  /** Names it for as long as it exists. */
  readonly inode: number
  readonly pid: number
}

/** Where Docker and `ip netns` keep namespaces by name. */
const namedFolders = ['/run/docker/netns', '/var/run/docker/netns', '/run/netns']

/** The namespace of the host, also for an agent in a container. */
export function hostNamespace(): NamespaceRef {
  const pid = hostProcess()
  return { inode: inodeOf(`/proc/${pid}/ns/net`) ?? 0, pid }
}

/** The namespace in which the target's traffic is; undefined when the target is gone. */
export function namespaceOf(target: FaultTarget): NamespaceRef | undefined {
  if (target.kind === 'Host') return hostNamespace()
  const { pid } = target.init
  const inode = inodeOf(`/proc/${pid}/ns/net`)
  return inode === undefined ? undefined : { inode, pid }
}

/** A path by which the namespace can be entered now; undefined when it is gone. */
export function findNamespace({ inode, pid }: NamespaceRef): string | undefined {
  const known = `/proc/${pid}/ns/net`
  if (inodeOf(known) === inode) return known
  const candidates = [
    ...readFolder('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => `/proc/${name}/ns/net`),
    ...namedFolders.flatMap((folder) => readFolder(folder).map((name) => `${folder}/${name}`)),
  ]
  return candidates.find((path) => inodeOf(path) === inode)
}

/** The namespace is gone, and with it whatever was made in it. */
export class NamespaceGone extends Error {
  override readonly name = 'NamespaceGone'
  constructor() {
    super('The network namespace of the target is gone.')
  }
}

/**
 * Runs a tool inside a namespace. Nothing is needed in a container's image: program and files are
 * the host's, only the network is the target's.
 * @throws NamespaceGone, FaultError `missing-tool`, ToolError
 */
export async function runIn(
  namespace: NamespaceRef,
  program: string,
  args: readonly string[],
  input = '',
): Promise<string> {
  const [command = '', ...rest] = commandIn(namespace, [program, ...args])
  try {
    return await runTool(command, rest, input)
  } catch (error) {
    // It may have gone between the look and the entering.
    if (command === 'nsenter' && findNamespace(namespace) === undefined) throw new NamespaceGone()
    throw error
  }
}

/** The command that runs `command` inside the namespace. @throws NamespaceGone */
export function commandIn(namespace: NamespaceRef, command: readonly string[]): string[] {
  if (inodeOf('/proc/self/ns/net') === namespace.inode) return [...command]
  const path = findNamespace(namespace)
  if (path === undefined) throw new NamespaceGone()
  return ['nsenter', `--net=${path}`, '--', ...command]
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino
  } catch {
    return undefined
  }
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
