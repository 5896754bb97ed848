import { existsSync } from 'node:fs'
import { FaultError } from '../faults/fault.ts'
import { runTool } from '../host/tool.ts'
import { canLoad, ifbModule, loadIfb } from './kernel-modules.ts'

/** Each is undefined when it is there, else why not and what to do, without a full stop. */
export interface NetworkCapability {
  /** Without it nothing works. */
  readonly base: string | undefined
  /** nft rules that see what leaves at a device. */
  readonly egressHook: string | undefined
  /** Devices that give back or swallow what is sent to them. */
  readonly ifb: string | undefined
  readonly netem: string | undefined
  /** nft's own queue statement. */
  readonly nftQueue: string | undefined
  /** The kernel's packet queues; rules for them are then also made without nft's statement. */
  readonly queues: string | undefined
}

const egressTable = `table netdev temblor_probe {
  chain look {
    type filter hook egress device "lo" priority 0
    fwd to "lo"
  }
}
`
const queueTable = `table inet temblor_probe {
  chain look {
    type filter hook prerouting priority 0
    queue flags bypass to 1
  }
}
`
/** How long something missing counts as missing: it may be installed meanwhile. */
const keepFailureMs = 10_000

let known: { readonly at: number; readonly found: Promise<NetworkCapability> } | undefined
let isComplete = false

/**
 * Finds out what the kernel and the tools of this host can do, in network namespaces made for it and
 * thrown away: nothing of the host is touched.
 */
export function probeNetwork(): Promise<NetworkCapability> {
  if (known && (isComplete || performance.now() - known.at < keepFailureMs)) return known.found
  const found = probe()
  known = { at: performance.now(), found }
  void found.then((result) => (isComplete = !result.base && !result.egressHook && !result.ifb))
  return found
}

async function probe(): Promise<NetworkCapability> {
  const base = await findBase()
  if (base !== undefined)
    return { base, egressHook: base, ifb: base, netem: base, nftQueue: base, queues: base }
  const [egressHook, ifb, netem, nftQueue, queues] = await Promise.all([
    asking('the kernel has no nf_tables egress hook (Linux 5.16 and later have it)', () =>
      runTool('unshare', ['--net', '--', 'nft', '-f', '-'], egressTable),
    ),
    asking('the kernel has no ifb devices (module ifb)', findIfb),
    asking(
      'the kernel has no sch_netem (on RHEL and its kin: dnf install kernel-modules-extra)',
      () => {
        const add = ['qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms']
        return runTool('unshare', ['--net', '--', 'tc', ...add])
      },
    ),
    asking('the kernel has no nft queue statement (module nft_queue)', () =>
      runTool('unshare', ['--net', '--', 'nft', '-f', '-'], queueTable),
    ),
    asking('the kernel has no packet queues (module nfnetlink_queue)', findQueues),
  ])
  return { base, egressHook, ifb, netem, nftQueue, queues }
}

async function findBase(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'not root'
  const tools = [
    ['nft', ['--version']],
    ['ip', ['-V']],
    ['tc', ['-V']],
    ['nsenter', ['--version']],
  ] as const
  const missing = await Promise.all(
    tools.map(([program, args]) =>
      runTool(program, args).then(
        () => undefined,
        (error: Error) => error.message.replace(/\.$/, '').replace('. Install', ': install'),
      ),
    ),
  )
  const reason = missing.find((one) => one !== undefined)
  if (reason !== undefined) return reason
  return asking('new network namespaces are not allowed here (CAP_SYS_ADMIN, CAP_NET_ADMIN)', () =>
    runTool('unshare', ['--net', '--', 'nft', 'list', 'ruleset']),
  )
}

async function findIfb(): Promise<void> {
  if (await canLoad(ifbModule)) return
  // It is loaded, or built in, or only trying tells.
  await loadIfb()
  await runTool('unshare', ['--net', '--', 'ip', 'link', 'add', 'name', 'tb0', 'type', 'ifb'])
}

async function findQueues(): Promise<void> {
  const file = '/proc/self/net/netfilter/nfnetlink_queue'
  if (existsSync(file)) return
  await runTool('modprobe', ['nfnetlink_queue']).catch(() => undefined)
  if (!existsSync(file)) throw new Error('not there')
}

async function asking(reason: string, act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    return error instanceof FaultError ? error.message.replace(/\.$/, '') : reason
  }
}
