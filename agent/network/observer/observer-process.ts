import type { FaultDeath } from '../../faults/fault.ts'
import { startHelper, type HelperProcess } from '../../host/helper-process.ts'
import { findNamespace, NamespaceGone, type NamespaceRef } from '../namespace.ts'
import type { ConnectOrder, ObserverLine, ObserverRequest } from './observer.ts'

const startTimeoutMs = 30_000

/** One try to connect, as everybody does and by the way that is spared; null is no answer. */
export type ConnectTimes = NonNullable<ObserverLine['connected']>

/** Looks at the network from where the target is. */
export interface Observer {
  /** Addresses by name; a string says why a name could not be looked up. */
  lookUp(names: readonly string[], root: string): Promise<NonNullable<ObserverLine['found']>>
  watchConnects(order: ConnectOrder, onTimes: (times: ConnectTimes) => void): void
  readonly died: Promise<FaultDeath>
  close(): Promise<void>
}

/** Starts an observer in a namespace. @throws NamespaceGone, FaultError when it does not start */
export async function startObserver(
  namespace: NamespaceRef,
  marker: string,
  signal: AbortSignal,
): Promise<Observer> {
  const namespacePath = findNamespace(namespace)
  if (namespacePath === undefined) throw new NamespaceGone()
  let onFound: ((line: NonNullable<ObserverLine['found']>) => void) | undefined
  let onConnected: ((times: ConnectTimes) => void) | undefined
  const helper = await startHelper<ObserverLine>({
    program: 'network-observer',
    title: 'The network observer',
    args: [marker],
    namespacePath,
    startTimeoutMs,
    signal,
    isReady: ({ ready }) => ready === true,
    onLine: ({ found, connected }) => {
      if (found) onFound?.(found)
      if (connected) onConnected?.(connected)
    },
  })
  return {
    lookUp: (names, root) =>
      new Promise((resolve, reject) => {
        onFound = resolve
        void helper.died.then(({ message }) => reject(new Error(message)))
        ask(helper, { lookUp: names, root })
      }),
    watchConnects(order, onTimes) {
      onConnected = onTimes
      ask(helper, { connect: order })
    },
    died: helper.died,
    close: () => helper.end(0),
  }
}

function ask(helper: HelperProcess, request: ObserverRequest): void {
  helper.write(`${JSON.stringify(request)}\n`)
}
