import { attackTypes } from '../../shared/attacks/index.ts'
import { cpuLoadCores } from '../../shared/attacks/cpu.ts'
import {
  capacityCores,
  ControlGroupError,
  findCpuGroups,
  hostCores,
  missingCpuGroups,
  type CpuGroups,
} from '../host/control-groups.ts'
import { findByArgument, killAndWait } from '../host/processes.ts'
import { spawnBurner } from './cpu-burner-process.ts'
import { createCpuMeter } from './cpu-meter.ts'
import {
  FaultError,
  type Fault,
  type FaultContext,
  type FaultHandle,
  type FaultTarget,
} from './fault.ts'

type CpuParams = { lengthSeconds: number; cores: number; allCores: boolean; percent: number }

/** Memory is charged to the group where it is first touched; after this much work all of it is. */
const warmUpOnV2Ms = 2000
/** The agent writes every two seconds; a burner that hears nothing for this long ends. */
const silenceMs = 10_000

/** Burns CPU in a child process, for containers as a member of their CPU control groups. */
export const cpu: Fault = {
  async probe(targetKind) {
    if (targetKind === 'Host') return { ok: true }
    if (process.getuid?.() !== 0)
      return { ok: false, reason: 'not root, so it cannot join the control groups of containers' }
    const missing = missingCpuGroups()
    return missing === undefined ? { ok: true } : { ok: false, reason: missing }
  },

  async prepare(params, target, context) {
    const { groups, capacity } = inspect(target)
    return {
      requested: attackTypes.cpu.requested(params as CpuParams, { cores: capacity }),
      backend: groups ? `burner in cgroup v${groups.version}` : 'burner on the host',
      undo: [{ marker: markerOf(context) }],
      start: () => burn(params as CpuParams, target, context),
    }
  },

  async undo(record) {
    for (const process of findByArgument(String(record['marker'])))
      if (!(await killAndWait(process)))
        throw new FaultError('failed', `The CPU burner ${process.pid} does not end.`, {
          mayBeActive: true,
        })
  },
}

async function burn(
  params: CpuParams,
  target: FaultTarget,
  context: FaultContext,
): Promise<FaultHandle> {
  const { groups, capacity } = inspect(target)
  const loadCores = cpuLoadCores(params, capacity)
  const burner = await spawnBurner(
    markerOf(context),
    {
      loadCores,
      workers: workersFor(params, capacity),
      lengthMs: context.remainingMs,
      groups: groups?.join ?? [],
      target: target.kind === 'Container' ? target.init : null,
      warmUpMs: groups?.version === 2 ? warmUpOnV2Ms : 0,
      silenceMs,
    },
    context.signal,
  )
  const meter = createCpuMeter({ pid: burner.pid, groups, capacity, loadCores })
  return {
    measure: () => meter.measure(burner.finalUsage()),
    stop: () => burner.stop(),
    died: burner.died,
  }
}

/** The argument by which a burner of this execution is found again. */
function markerOf(context: FaultContext): string {
  return `temblor:${context.instanceId}:${context.executionId}`
}

/** One worker for each core that is loaded; none is asked for more than a core. */
function workersFor(params: CpuParams, capacity: number): number {
  const whole = Math.min(hostCores(), Math.ceil(capacity))
  return Math.max(1, params.allCores ? whole : Math.min(params.cores, whole))
}

function inspect(target: FaultTarget): { groups: CpuGroups | undefined; capacity: number } {
  if (target.kind === 'Host') return { groups: undefined, capacity: hostCores() }
  try {
    const groups = findCpuGroups(target.init.pid)
    return { groups, capacity: capacityCores(groups) }
  } catch (error) {
    if (!(error instanceof ControlGroupError)) throw error
    throw new FaultError('unsupported', error.message, { cause: error })
  }
}
