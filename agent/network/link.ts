import { ToolError } from '../host/tool.ts'
import { loadIfb } from './kernel-modules.ts'
import { NamespaceGone, runIn, type NamespaceRef } from './namespace.ts'

/** Every packet that a device had to hold at 20,000 a second for five seconds. */
const queueLimitPackets = 100_000

/** What a queue of ours has done so far. */
export interface QueueFigures {
  readonly packets: number
  readonly dropped: number
  readonly waiting: number
}

/** Makes a device that is down: what is sent to it is lost without a word. */
export async function makeDeadEnd(namespace: NamespaceRef, name: string): Promise<void> {
  await loadIfb()
  await runIn(namespace, 'ip', ['link', 'add', 'name', name, 'type', 'ifb'])
}

/** Makes a device that gives back what is sent to it after the delay. */
export async function makeDelay(
  namespace: NamespaceRef,
  name: string,
  delayMs: number,
): Promise<void> {
  await loadIfb()
  const lines = [`link add name ${name} type ifb`, `link set dev ${name} up`]
  await runIn(namespace, 'ip', ['-batch', '-'], `${lines.join('\n')}\n`)
  const netem = ['netem', 'delay', `${delayMs}ms`, 'limit', String(queueLimitPackets)]
  await runIn(namespace, 'tc', ['qdisc', 'add', 'dev', name, 'root', ...netem])
}

/**
 * Packets that a dead end has lost. While it is down it loses all, without counting them on some
 * kernels (Debian's 6.1): then undefined.
 */
export async function readDeadEnd(
  namespace: NamespaceRef,
  name: string,
): Promise<number | undefined> {
  const text = await runIn(namespace, 'ip', ['-j', '-s', 'link', 'show', 'dev', name])
  const [link] = JSON.parse(text || '[]') as {
    flags?: readonly string[]
    stats64?: { tx?: { dropped?: number } }
  }[]
  if (!link?.flags?.includes('UP')) return undefined
  return link.stats64?.tx?.dropped ?? 0
}

/** What the queue of a delay has done. */
export async function readDelay(namespace: NamespaceRef, name: string): Promise<QueueFigures> {
  const text = await runIn(namespace, 'tc', ['-j', '-s', 'qdisc', 'show', 'dev', name, 'root'])
  const [queue] = JSON.parse(text || '[]') as { packets?: number; drops?: number; qlen?: number }[]
  return {
    packets: queue?.packets ?? 0,
    dropped: queue?.drops ?? 0,
    waiting: queue?.qlen ?? 0,
  }
}

/** Removes a device of ours if it is there. A namespace that is gone is success. @throws ToolError */
export async function removeLink(namespace: NamespaceRef, name: string): Promise<void> {
  try {
    await runIn(namespace, 'ip', ['link', 'delete', 'dev', name])
  } catch (error) {
    if (error instanceof NamespaceGone) return
    if (error instanceof ToolError && /Cannot find device/.test(error.stderr)) return
    throw error
  }
}
