import { createHash } from 'node:crypto'
import type { CreateAttackBody } from '../../../shared/api/attacks.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import type { Attack, Execution } from '../../../shared/api/records.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { AttackType } from '../../../shared/attacks/define.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Caller } from '../../auth/access.ts'
import { toAttack, toExecution } from '../../records/attacks.ts'
import { attackNotFound } from '../../records/not-found.ts'
import type { AttackBlockRecord } from '../../store/attack-blocks.ts'
import type { AnnotationChange } from '../../store/attack-record.ts'
import type { Store } from '../../store/store.ts'
import { readRequest } from './command.ts'
import {
  controllerHostError,
  controllerHostProblem,
  namedControllerHosts,
  sparedBootIds,
} from './controller-host.ts'
import { createSource } from './create-source.ts'
import { targetProblem } from './target-problem.ts'

/** What a client says of itself and of its request. */
interface ClientSays {
  readonly name: string | string[] | undefined
  readonly idempotencyKey: string | undefined
}

/** The rules of attacks. */
export interface AttackService {
  /** The id of the attack; it is on disk and on its way. @throws ApiError when nothing was created */
  create(
    teamId: string,
    body: CreateAttackBody,
    caller: Caller,
    client: ClientSays,
  ): Promise<string>
  read(teamId: string, attackId: string): Promise<Attack>
  annotate(teamId: string, attackId: string, change: AnnotationChange): Promise<Attack>
  executions(teamId: string, attackId: string): Promise<Execution[]>
}

/** Makes the service of attacks. */
export function createAttackService(store: Store, hub: AgentHub): AttackService {
  const read = async (teamId: string, attackId: string): Promise<Attack> => {
    const record = await store.attacks.find(teamId, attackId)
    if (!record) throw attackNotFound(attackId)
    const [executions = []] = await store.executions.briefOfAttacks(teamId, [attackId])
    return toAttack(record, executions)
  }
  return {
    read,
    async create(teamId, body, caller, client) {
      const asked = readRequest(body)
      const { type, ...request } = asked
      checkFaultPrivilege(type, caller)
      const notAllowed = controllerHostProblem(asked, caller.privileges)
      if (notAllowed !== undefined) throw controllerHostError(notAllowed)
      const result = await store.attacks.create({
        ...request,
        teamId,
        sparedBootIds: await sparedBootIds(store, asked),
        block: await store.attackBlocks.read(caller.company.id),
        type: type.type,
        createdBy: caller.email,
        source: createSource(client.name),
        idempotency: client.idempotencyKey
          ? { key: client.idempotencyKey, bodyHash: hashOf(body) }
          : undefined,
      })
      if (result.kind === 'repeated') return result.attackId
      if (result.kind === 'conflict') throw idempotencyConflict()
      if (result.kind === 'withdrawn') throw attackWithdrawn()
      if (result.kind === 'blocked') throw attacksBlocked(result.block)
      if (result.kind === 'controller')
        throw controllerHostError(namedControllerHosts(result.hosts), result.hosts)
      if (result.kind !== 'created') throw targetProblem(request.target, result)
      if (result.written) hub.give(teamId, result.written)
      else for (const host of result.hosts) hub.deliverSoon(teamId, host)
      return result.attackId
    },
    async annotate(teamId, attackId, change) {
      if (!(await store.attacks.find(teamId, attackId))) throw attackNotFound(attackId)
      await store.attacks.annotate(teamId, attackId, change)
      return await read(teamId, attackId)
    },
    async executions(teamId, attackId) {
      const record = await store.attacks.find(teamId, attackId)
      if (!record) throw attackNotFound(attackId)
      const [executions = []] = await store.executions.ofAttacks(teamId, [attackId])
      return executions.map((execution) => toExecution(record, execution))
    },
  }
}

function checkFaultPrivilege(type: AttackType, caller: Caller): void {
  if (!caller.privileges.has(type.privilege))
    throw new ApiError('forbidden', `User requires privilege for target team: ${type.privilege}`, {
      details: { privilege: type.privilege },
    })
}

/** The same for bodies that say the same, in whatever order their keys stand. */
function hashOf(body: unknown): string {
  return createHash('sha256').update(canonical(body)).digest('base64url')
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? ''
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join()}}`
}

function attacksBlocked(block: AttackBlockRecord | undefined): ApiError {
  const { by, sinceMs, reason } = block ?? { by: 'somebody', sinceMs: Date.now(), reason: '' }
  const since = timestamp(sinceMs)
  const why = reason ? `: ${reason}` : ''
  return new ApiError(
    'attacks_blocked',
    `New attacks are blocked in this company since ${since} by ${by}${why}. Nothing was started.`,
    { details: { by, since, reason } },
  )
}

function attackWithdrawn(): ApiError {
  return new ApiError(
    'attack_withdrawn',
    'Attacks were halted before all targets of this one were written, or that took too long. Nothing was started.',
  )
}

function idempotencyConflict(): ApiError {
  return new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key was used for another request. Use a new key. Nothing was started.',
    { details: { field: 'Idempotency-Key' } },
  )
}
