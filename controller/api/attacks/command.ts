import type { CreateAttackBody } from '../../../shared/api/attacks.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { ArgsError, checkForTarget, parseArgs } from '../../../shared/attacks/args.ts'
import type { AttackType, TargetKind } from '../../../shared/attacks/define.ts'
import {
  attackTypeNames,
  findAttackType,
  type AttackParams,
} from '../../../shared/attacks/index.ts'
import { nearest } from '../../../shared/nearest.ts'
import { isAbsent, readTarget, TargetError, type Target } from '../../../shared/targets.ts'

/** What a request asks for, read and checked. */
export interface AttackRequest {
  readonly type: AttackType
  readonly params: AttackParams
  readonly args: readonly string[]
  readonly lengthSeconds: number
  readonly target: Target
}

/** Keys of the command that would narrow the attack: ignoring them would hit more than was meant. */
const notHonoured = ['providers', 'trafficImpactMapping'] as const

/**
 * Says by name that templates are not supported: a request that names one holds nothing else.
 * @throws ApiError `not_supported`
 */
export function refuseTemplates(body: unknown): void {
  const parts = (body ?? {}) as Record<string, unknown>
  for (const part of ['command', 'target'])
    for (const key of ['templateId', 'template_id'])
      if (!isAbsent((parts[part] as Record<string, unknown> | undefined)?.[key]))
        throw new ApiError(
          'not_supported',
          `${part}.${key} is not supported: there are no templates. Send the ${part} itself.`,
          { details: { field: `${part}.${key}` } },
        )
}

/** Reads the body of an attack request. @throws ApiError that names the field and what is allowed */
export function readRequest(body: CreateAttackBody): AttackRequest {
  const command = body.command as CreateAttackBody['command'] & Record<string, unknown>
  for (const key of notHonoured)
    if (!isAbsent(command[key]))
      throw new ApiError('not_supported', `command.${key} is not supported. Leave it out.`, {
        details: { field: `command.${key}` },
      })
  const type = findAttackType(command.type)
  if (!type) throw unknownAttackType(command.type)
  const args = command.args ?? []
  const params = argsOrRefuse(() => parseArgs(type, args))
  const target = readTargetOrRefuse(body)
  argsOrRefuse(() => checkForTarget(type, params, targetKindOf(target)))
  return { type, params, args, lengthSeconds: type.lengthSeconds(params as never), target }
}

/** What this target consists of. */
export function targetKindOf(target: Target): TargetKind {
  return target.containers ? 'Container' : 'Host'
}

function argsOrRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ArgsError)) throw error
    throw new ApiError('invalid_argument', error.message, {
      details: { field: 'command.args', ...error.details },
    })
  }
}

function readTargetOrRefuse(body: CreateAttackBody): Target {
  try {
    return readTarget(body.target, body.labels)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    throw new ApiError('invalid_target', error.message, { details: { ...error.details } })
  }
}

function unknownAttackType(name: string): ApiError {
  const value = name.slice(0, 60)
  const near = nearest(name.toLowerCase(), attackTypeNames)
  const hint = near ? ` Did you mean ${near}?` : ''
  const allowed = attackTypeNames.join(', ')
  return new ApiError(
    'unknown_attack_type',
    `There is no attack type "${value}".${hint} Allowed: ${allowed}.`,
    { details: { field: 'command.type', value, allowed } },
  )
}
