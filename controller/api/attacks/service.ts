import type { Attack, CreateAttackBody, Execution } from '../../../shared/api/attacks.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { ArgsError, parseArgs } from '../../../shared/attacks/args.ts'
import type { AttackType } from '../../../shared/attacks/define.ts'
import {
  attackTypeNames,
  findAttackType,
  type AttackParams,
} from '../../../shared/attacks/index.ts'
import { nearest } from '../../../shared/nearest.ts'
import { isAbsent, readTarget, TargetError, type Target } from '../../../shared/targets.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Caller } from '../../auth/access.ts'
import type { CreateResult } from '../../store/attacks.ts'
import type { Store } from '../../store/store.ts'
import { createSource } from './create-source.ts'
import { toAttack, toExecution } from './records.ts'

/** The rules of attacks. */
export interface AttackService {
  /** The id of the attack; it is on disk and on its way. @throws ApiError when nothing was created */
  create(
    teamId: string,
    body: CreateAttackBody,
    caller: Caller,
    clientName: string | string[] | undefined,
  ): Promise<string>
  list(teamId: string): Promise<Attack[]>
  read(teamId: string, attackId: string): Promise<Attack>
  halt(teamId: string, attackId: string, by: string): Promise<Attack[]>
  executions(teamId: string, attackId: string): Promise<Execution[]>
}

/** Makes the service of attacks. */
export function createAttackService(store: Store, hub: AgentHub): AttackService {
  const read = async (teamId: string, attackId: string): Promise<Attack> => {
    const record = await store.attacks.find(teamId, attackId)
    if (!record) throw attackNotFound(attackId)
    const [executions = []] = await store.executions.ofAttacks(teamId, [attackId])
    return toAttack(record, executions)
  }
  return {
    read,
    async create(teamId, body, caller, clientName) {
      const { type, params } = readCommand(body)
      checkFaultPrivilege(type, caller)
      const target = readTargetOrRefuse(body)
      const result = await store.attacks.create({
        teamId,
        type: type.type,
        args: body.command.args ?? [],
        params,
        lengthSeconds: type.lengthSeconds(params as never),
        target,
        createdBy: caller.email,
        source: createSource(clientName),
      })
      if (result.kind !== 'created') throw targetNotFound(target, result)
      for (const host of result.hosts) hub.deliverSoon(teamId, host)
      return result.attackId
    },
    async list(teamId) {
      const records = await store.attacks.list(teamId)
      const executions = await store.executions.ofAttacks(
        teamId,
        records.map((record) => record.id),
      )
      return records.map((record, index) => toAttack(record, executions[index] ?? []))
    },
    async halt(teamId, attackId, by) {
      const hosts = await store.attacks.halt(teamId, attackId, by)
      if (!hosts) throw attackNotFound(attackId)
      for (const host of hosts) hub.deliverSoon(teamId, host)
      return [await read(teamId, attackId)]
    },
    async executions(teamId, attackId) {
      const record = await store.attacks.find(teamId, attackId)
      if (!record) throw attackNotFound(attackId)
      const [executions = []] = await store.executions.ofAttacks(teamId, [attackId])
      return executions.map((execution) => toExecution(record, execution))
    },
  }
}

/** Keys of the command that would narrow the attack: ignoring them would hit more than was meant. */
const notHonoured = ['providers', 'trafficImpactMapping', 'templateId', 'template_id'] as const

function readCommand(body: CreateAttackBody): { type: AttackType; params: AttackParams } {
  const command = body.command as CreateAttackBody['command'] & Record<string, unknown>
  for (const key of notHonoured)
    if (!isAbsent(command[key]))
      throw new ApiError('not_supported', `command.${key} is not supported. Leave it out.`, {
        details: { field: `command.${key}` },
      })
  const type = findAttackType(command.type)
  if (!type) throw unknownAttackType(command.type)
  try {
    return { type, params: parseArgs(type, command.args ?? []) }
  } catch (error) {
    if (!(error instanceof ArgsError)) throw error
    throw new ApiError('invalid_argument', error.message, {
      details: { field: 'command.args', ...error.details },
    })
  }
}

function unknownAttackType(name: string): ApiError {
  const near = nearest(name.toLowerCase(), attackTypeNames)
  const allowed = attackTypeNames.join(', ')
  return new ApiError(
    'unknown_attack_type',
    `There is no attack type "${name.slice(0, 60)}".${near ? ` Did you mean ${near}?` : ''} Allowed: ${allowed}.`,
    { details: { field: 'command.type', value: name.slice(0, 60), allowed } },
  )
}

function checkFaultPrivilege(type: AttackType, caller: Caller): void {
  if (!caller.privileges.has(type.privilege))
    throw new ApiError('forbidden', `User requires privilege for target team: ${type.privilege}`, {
      details: { privilege: type.privilege },
    })
}

function readTargetOrRefuse(body: CreateAttackBody): Target {
  try {
    return readTarget(body.target, body.labels)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    throw new ApiError('invalid_target', error.message, { details: { ...error.details } })
  }
}

/** Says what was looked for and not there; the hosts of other teams are simply not there. */
function targetNotFound(
  target: Target,
  result: Exclude<CreateResult, { kind: 'created' }>,
): ApiError {
  if (result.kind === 'missing')
    return new ApiError(
      'target_not_found',
      `Not among the live hosts of this team: ${result.identifiers.join(', ').slice(0, 500)}. Nothing was started.`,
      { details: { missing: result.identifiers } },
    )
  const wanted = { tags: target.tags, labels: target.labels }
  const details = { missing: [], ...wanted, protected_containers: result.protectedContainers }
  if (target.type === 'Random' && result.hostsWithTags === 0)
    return new ApiError(
      'target_not_found',
      Object.keys(target.tags).length > 0
        ? `No live host of this team carries the tags ${words(target.tags)}. Nothing was started.`
        : 'This team has no live host. Add one, or start its agent. Nothing was started.',
      { details },
    )
  const guarded =
    result.protectedContainers > 0
      ? ` ${result.protectedContainers} that would match are protected by their owner.`
      : ''
  return new ApiError(
    'target_not_found',
    `No running container on these hosts carries the labels ${words(target.labels)}.${guarded} Nothing was started.`,
    { details },
  )
}

function words(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
    .slice(0, 300)
}

function attackNotFound(attackId: string): ApiError {
  return new ApiError(
    'attack_not_found',
    `This team has no attack ${attackId.slice(0, 100)}. GET /attacks lists those there are.`,
    { details: { value: attackId.slice(0, 100) } },
  )
}
