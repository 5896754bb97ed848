import type { HostFacts__Output } from '../../proto/gen/temblor/agent/v1/HostFacts.ts'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import type { Limits__Output } from '../../proto/gen/temblor/agent/v1/Limits.ts'
import type { Client } from '../../shared/api/clients.ts'
import { timestamp } from '../../shared/api/timestamp.ts'

/** Without a heartbeat for this long a host is listed as IDLE. */
const idleAfterMs = 5 * 60_000

/** A host as the API shows it. `leaseMs` is when its lease expires, `nowMs` Redis' clock. */
export function toClient(
  teamId: string,
  nowMs: number,
  record: Record<string, string>,
  leaseMs: number,
): Client {
  const text = (name: string) => record[name] ?? ''
  const json = <T>(name: string, fallback: T): T =>
    record[name] === undefined ? fallback : (JSON.parse(record[name]) as T)
  const lastSeenMs = Number(text('last_seen_ms'))
  const isIdle = nowMs - lastSeenMs > idleAfterMs
  const state = text('state') === 'REVOKED' ? 'REVOKED' : isIdle ? 'IDLE' : 'ACTIVE'
  return {
    identifier: text('identifier'),
    org_id: teamId,
    state,
    targetable: state === 'ACTIVE' && leaseMs > nowMs,
    last_seen: timestamp(lastSeenMs),
    tags: json('tags', {}),
    auth_type: 'CERTIFICATE',
    version: text('version'),
    instance_id: text('instance_id'),
    boot_id: text('boot_id'),
    ...json('facts', noFacts),
    containers: json('containers', []),
    capabilities: json('capabilities', []),
    limits: json('limits', noLimits),
    running_executions: json('running', []),
    created_at: timestamp(Number(text('created_ms'))),
    updated_at: timestamp(Number(text('updated_ms'))),
  }
}

const noFacts = {
  os_name: '',
  os_version: '',
  os_type: '',
  cpu_cores: 0,
  memory_bytes: 0,
  docker_version: null,
  engine_id: null,
}

const noLimits: Client['limits'] = {
  attack_types: null,
  max_length_seconds: null,
  max_percent: null,
  max_containers: null,
  shutdown_forbidden: false,
}

/** The inventory as it is kept: JSON in the shapes of the API, read by targeting and by lists. */
export function inventoryFields(inventory: Inventory__Output): Record<string, string> {
  return {
    tags: JSON.stringify(inventory.tags),
    containers: JSON.stringify(inventory.containers),
    capabilities: JSON.stringify(
      inventory.capabilities.map((capability) => ({
        attack_type: capability.attackType,
        targeting: capability.targeting,
        status: capability.missingReason === '' ? 'SUCCESS' : 'ERROR',
        reason: capability.missingReason || null,
      })),
    ),
    limits: JSON.stringify(inventory.limits ? readLimits(inventory.limits) : noLimits),
    facts: JSON.stringify(inventory.facts ? readFacts(inventory.facts) : noFacts),
  }
}

/** On the wire zero and empty are no limit; in the API null is. */
function readLimits(limits: Limits__Output): Client['limits'] {
  return {
    attack_types: limits.attackTypes.length > 0 ? limits.attackTypes : null,
    max_length_seconds: limits.maxLengthSeconds || null,
    max_percent: limits.maxPercent || null,
    max_containers: limits.maxContainers || null,
    shutdown_forbidden: limits.shutdownForbidden,
  }
}

function readFacts(facts: HostFacts__Output) {
  return {
    os_name: facts.osName,
    os_version: facts.osVersion,
    os_type: facts.osType,
    cpu_cores: facts.cpuCores,
    memory_bytes: facts.memoryBytes,
    docker_version: facts.dockerVersion || null,
    engine_id: facts.engineId || null,
  }
}
