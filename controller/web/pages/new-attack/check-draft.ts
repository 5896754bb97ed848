import { ApiError } from '../../../../shared/api/errors.ts'
import {
  ArgsError,
  checkForTarget,
  flagName,
  paramSpecs,
  parseArgs,
} from '../../../../shared/attacks/args.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { readTarget, TargetError } from '../../../../shared/targets.ts'
import { argOf, argsOf, drawsHosts, isPercent, requestOf, type Draft } from './draft.ts'
import { isPair, readPairs, singleValued } from './pairs.ts'

type WhoField = 'amount' | 'hosts' | 'tags' | 'labels' | 'containers'
/** A field of the form; those of the attack type by the name of their parameter. */
type Field = WhoField | `option ${string}`

/** What is wrong, by field; in plain words. */
export type Problems = Partial<Record<Field, string>>

/** What the API would refuse, found with its own code, and what the form asks for besides. */
export function checkDraft(type: AttackType, draft: Draft): Problems {
  return { ...checkOptions(type, draft), ...checkWho(type, draft) }
}

function checkOptions(type: AttackType, draft: Draft): Problems {
  const problems: Problems = {}
  // One by one, so that each field has its own.
  for (const spec of paramSpecs(type))
    Object.assign(
      problems,
      caught(type, () => parseArgs(type, argOf(spec, draft.options))),
    )
  if (Object.keys(problems).length > 0) return problems
  return caught(type, () =>
    checkForTarget(type, parseArgs(type, argsOf(type, draft.options)), draft.kind),
  )
}

function caught(type: AttackType, work: () => unknown): Problems {
  try {
    work()
    return {}
  } catch (error) {
    if (!(error instanceof ArgsError)) throw error
    return argumentProblem(type, error.details, error.message)
  }
}

function argumentProblem(
  type: AttackType,
  { flag, value, allowed }: { flag?: unknown; value?: unknown; allowed?: unknown },
  message: string,
): Problems {
  const spec = paramSpecs(type).find((one) => flagName(one.flag) === flag)
  if (!spec) return {}
  const field: Field = `option ${spec.name}`
  if (typeof value !== 'string' || typeof allowed !== 'string') return { [field]: message }
  const what = value === '' ? 'Something has to stand here.' : `This cannot be “${value}”.`
  return { [field]: `${what} Allowed: ${allowed}.` }
}

function checkWho(type: AttackType, draft: Draft): Problems {
  const problems: Problems = { ...pairProblem('tags', draft), ...pairProblem('labels', draft) }
  if (draft.choice === 'Random') Object.assign(problems, checkAmount(draft))
  else if (draft.kind === 'Host' && draft.hosts.length === 0)
    problems.hosts = 'Choose the hosts to hit.'
  else if ([draft.hosts, draft.labels, draft.containers].every((list) => list.length === 0))
    problems.containers = 'Choose containers, or say by labels or hosts which ones.'
  if (Object.keys(problems).length > 0) return problems
  try {
    const { target, labels } = requestOf(type, draft)
    readTarget(target, labels)
    return {}
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    return { [targetField(error.details.field)]: error.message }
  }
}

function pairProblem(field: 'tags' | 'labels', draft: Draft): Problems {
  const wrong = draft[field].find((one) => !isPair(one))
  return wrong === undefined ? {} : { [field]: `Write “${wrong}” as key=value.` }
}

function checkAmount(draft: Draft): Problems {
  const { amount, kind, labels } = draft
  if (isPercent(draft)) {
    const value = /^\d{1,3}(\.\d{1,6})?$/.test(amount) ? Number(amount) : 0
    if (value <= 0 || value > 100)
      return { amount: `This cannot be “${amount}”. Allowed: more than 0, up to 100.` }
  } else if (!/^[1-9]\d{0,5}$/.test(amount))
    return { amount: `This cannot be “${amount}”. Allowed: a whole number from 1.` }
  if (kind === 'Host' || !drawsHosts(draft)) return {}
  if (labels.length === 0) return { labels: 'To draw hosts, say by labels which containers.' }
  return singleValued(readPairs(labels))
    ? {}
    : { labels: 'To draw hosts, give each label one value.' }
}

/** The field of the form for one of a request. */
function targetField(field: string): WhoField {
  if (/tags/i.test(field)) return 'tags'
  if (/labels/i.test(field)) return 'labels'
  if (/containers/.test(field)) return 'containers'
  return /percent|exact/.test(field) ? 'amount' : 'hosts'
}

/** Where in the form an answer of the API belongs; empty when it is about no field. */
export function problemsOfAnswer(type: AttackType, error: unknown): Problems {
  if (!(error instanceof ApiError)) return {}
  const { code, details = {}, message } = error
  if (code === 'invalid_argument') return argumentProblem(type, details, message)
  if (code === 'invalid_target' && typeof details['field'] === 'string')
    return { [targetField(details['field'])]: message }
  return {}
}
