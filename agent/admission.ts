import { ArgsError, checkForTarget, checkParams } from '../shared/attacks/args.ts'
import type { AttackType, TargetKind } from '../shared/attacks/define.ts'
import { findAttackType, type AttackParams, type AttackTypeName } from '../shared/attacks/index.ts'
import type { EndReason } from '../shared/stages.ts'
import { EngineError, type ContainerSource, type ContainerState } from './containers/source.ts'
import type { RunOrder } from './execution-update.ts'
import { FaultError, type Fault, type FaultTarget } from './faults/fault.ts'
import type { FaultCatalogue } from './faults/index.ts'
import { refusalByOwner, type OwnerLimits } from './owner-limits.ts'

/** What an order is judged by. */
export interface AdmissionDeps {
  readonly faults: FaultCatalogue
  readonly containers: ContainerSource
  readonly limits: OwnerLimits
  readonly bootId: string
  /** The boot of the host on which the controller runs; undefined while none is known. */
  readonly controllerBootId: () => string | undefined
  /** Containers under attack by other executions of this agent. */
  readonly otherContainers: (executionId: string) => ReadonlySet<string>
}

/** An order that may be carried out. */
export interface Plan {
  readonly type: AttackType
  readonly params: AttackParams
  readonly fault: Fault
  readonly target: FaultTarget
  /** Set for a container: how the engine described it. */
  readonly container: ContainerState | undefined
}

/** Why and how an execution ends. */
export interface Ending {
  readonly reason: EndReason
  readonly message: string
}

/** An execution that must not begin; the reason and a message for people. */
class Refusal extends Error {
  readonly reason: EndReason
  constructor(reason: EndReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Everything that can be refused is refused here, before the first side effect.
 * @throws Error that `endOf` reads
 */
export async function admit(order: RunOrder, deps: AdmissionDeps): Promise<Plan> {
  const { attackType, executionId } = order
  const type = findAttackType(attackType)
  if (!type)
    throw new Refusal('invalid_argument', `This agent knows no attack type "${attackType}".`)
  const params = checkParams(type, order.params)
  const kind = order.container ? 'Container' : 'Host'
  if (!type.targets.includes(kind))
    throw new Refusal('invalid_argument', `${type.type} cannot be aimed at a ${kind}.`)
  checkForTarget(type, params, kind)
  const container = order.container && (await findContainer(order.container, deps.containers))
  const others = deps.otherContainers(executionId)
  const refusal = refusalByOwner(deps.limits, {
    type,
    params,
    ...(container ? { container } : {}),
    containersAtOnce: container ? new Set([...others, container.id]).size : 0,
  })
  if (refusal) throw new Refusal('forbidden_by_owner', refusal)
  spareController(type, params, kind, deps)
  const fault = deps.faults[type.type as AttackTypeName]
  const can = await fault.probe(kind)
  if (!can.ok) throw new Refusal('unsupported', `This host cannot do it: ${can.reason}.`)
  return { type, params, fault, container, target: container?.target ?? { kind: 'Host' } }
}

/** The controller refuses this itself; but a host may hold one that did not know of it. */
function spareController(
  type: AttackType,
  params: AttackParams,
  kind: TargetKind,
  { bootId, controllerBootId }: AdmissionDeps,
): void {
  if (!type.goesDown?.(params as never, kind)) return
  if (controllerBootId() !== bootId || params['allowControllerHost'] === true) return
  const message =
    'The controller runs on this host. Give --allow-controller-host to take both down.'
  throw new Refusal('controller_host', message)
}

async function findContainer(
  wanted: NonNullable<RunOrder['container']>,
  containers: ContainerSource,
): Promise<ContainerState> {
  const state = await containers.resolve(wanted.id)
  const name = wanted.name || wanted.id
  if (!state)
    throw new Refusal('target_not_found', `There is no container ${name} on this host (any more).`)
  if (!state.target) throw new Refusal('target_not_found', `The container ${name} is not running.`)
  return state
}

/** The end that an error means. */
export function endOf(error: unknown): Ending {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal) return { reason: error.reason, message }
  if (error instanceof ArgsError) return { reason: 'invalid_argument', message }
  if (error instanceof EngineError) return { reason: 'unsupported', message }
  if (!(error instanceof FaultError)) return { reason: 'start_failed', message }
  if (error.kind === 'target-gone') return { reason: 'target_gone', message }
  return { reason: error.kind === 'failed' ? 'start_failed' : 'unsupported', message }
}
