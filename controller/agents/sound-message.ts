import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ExecutionRef__Output } from '../../proto/gen/temblor/agent/v1/ExecutionRef.ts'
import type { ExecutionUpdate__Output } from '../../proto/gen/temblor/agent/v1/ExecutionUpdate.ts'
import type { Hello__Output } from '../../proto/gen/temblor/agent/v1/Hello.ts'
import type { HostFacts__Output } from '../../proto/gen/temblor/agent/v1/HostFacts.ts'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import type { ManualAttack__Output } from '../../proto/gen/temblor/agent/v1/ManualAttack.ts'
import { isId } from '../store/keys.ts'

/** Names, versions and the like. */
const wordLimit = 300
/** What an execution says for people. */
const textLimit = 4_000
/** An effect as JSON. */
const effectLimit = 16 * 1024
/** Each tag is a place in the index of hosts. */
const tagLimit = 200
/** Of all arguments together, as in requests. */
const argsLimit = 64 * 1024
const certificateLimit = 16 * 1024
const runningLimit = 1_000
const capabilityLimit = 200
/** Agents tell for a week of what is over, and an attack lasts a year at most. */
const oldestMs = 400 * 86_400_000

/**
 * A message of an agent as far as it is sound. A host may be somebody's who means the others ill: what it says is
 * kept for all of its team, so that it is neither endless nor of another shape than the API promises.
 */
export function soundMessage(message: AgentMessage__Output): AgentMessage__Output {
  const { hello, inventory, heartbeat, commandAck, executionUpdate, manualAttack } = message
  const { renewCertificate, bye } = message
  // Of all that is said most, and sound as it is.
  if (heartbeat?.running.length === 0) return message
  return {
    ...message,
    ...(hello && { hello: soundHello(hello) }),
    ...(inventory && { inventory: soundInventory(inventory) }),
    ...(heartbeat && { heartbeat: { ...heartbeat, running: soundRefs(heartbeat.running) } }),
    ...(commandAck && { commandAck: { ...commandAck, executionId: word(commandAck.executionId) } }),
    ...(executionUpdate && { executionUpdate: soundUpdate(executionUpdate) }),
    ...(manualAttack && { manualAttack: soundManual(manualAttack) }),
    ...(renewCertificate && {
      renewCertificate: { csrPem: renewCertificate.csrPem.slice(0, certificateLimit) },
    }),
    ...(bye && { bye: { reason: word(bye.reason) } }),
  }
}

function soundRefs(refs: readonly ExecutionRef__Output[]): ExecutionRef__Output[] {
  return refs.filter(({ executionId }) => isId(executionId)).slice(0, runningLimit)
}

/** Null for one that cannot be recorded. */
function soundManual(attack: ManualAttack__Output): ManualAttack__Output | null {
  const { attackId, executionId, attackType, args, container, ageMs } = attack
  const { id = '', name = '' } = container ?? {}
  const words = [attackId, executionId, attackType, id, name]
  const isTooLong = args.reduce((sum, arg) => sum + arg.length, 0) > argsLimit
  if (isTooLong || words.some((one) => one.length > wordLimit)) return null
  return { ...attack, ageMs: soundAge(ageMs) }
}

function soundHello(hello: Hello__Output): Hello__Output {
  const { inventory, version, bootId, knownExecutions } = hello
  return {
    ...hello,
    version: word(version),
    bootId: word(bootId),
    inventory: inventory && soundInventory(inventory),
    knownExecutions: knownExecutions.filter(({ executionId }) => isId(executionId)),
  }
}

function soundInventory(inventory: Inventory__Output): Inventory__Output {
  const { tags, containers, capabilities, limits, facts } = inventory
  return {
    tags: Object.fromEntries(Object.entries(tags).slice(0, tagLimit)),
    containers: containers.filter(
      ({ id, state }) => id !== '' && id.length <= wordLimit && /^(running|paused)$/.test(state),
    ),
    capabilities: capabilities
      .filter(({ targeting }) => /^(Host|Container)$/.test(targeting))
      .slice(0, capabilityLimit),
    limits: limits && { ...limits, attackTypes: limits.attackTypes.slice(0, capabilityLimit) },
    facts: facts && soundFacts(facts),
  }
}

function soundFacts(facts: HostFacts__Output): HostFacts__Output {
  const { osType, osName, osVersion, cpuCores, memoryBytes, dockerVersion, engineId } = facts
  return {
    osType: word(osType),
    osName: word(osName),
    osVersion: word(osVersion),
    cpuCores: amount(cpuCores),
    memoryBytes: amount(memoryBytes),
    dockerVersion: word(dockerVersion),
    engineId: word(engineId),
  }
}

function soundUpdate(update: ExecutionUpdate__Output): ExecutionUpdate__Output {
  const { executionId, stage, reason, message, backend, ageMs, requestedJson, measuredJson } =
    update
  return {
    ...update,
    executionId: word(executionId),
    stage: word(stage),
    reason: word(reason),
    message: message.length > textLimit ? `${cut(message, textLimit)}…` : message,
    backend: word(backend),
    ageMs: soundAge(ageMs),
    requestedJson: requestedJson.length > effectLimit ? '' : requestedJson,
    measuredJson: measuredJson.length > effectLimit ? '' : measuredJson,
  }
}

/** What is cut between the two halves of a character is no text to Redis' scripts, which many agents share. */
function cut(text: string, limit: number): string {
  return text.slice(0, limit).toWellFormed()
}

function word(text: string): string {
  return cut(text, wordLimit)
}

/** What is older makes times that are none. */
function soundAge(ageMs: number): number {
  return Math.min(ageMs, oldestMs)
}

/** JSON knows neither infinity nor what is no number. */
function amount(value: number): number {
  return Number.isFinite(value) ? Math.max(0, value) : 0
}
