import { randomUUID } from 'node:crypto'
import type { NewAttack } from '../../controller/store/attack-record.ts'
import { openAttacks } from '../../controller/store/attacks.ts'
import { openExecutions } from '../../controller/store/executions.ts'
import { openHosts, type ClaimResult, type HostClaim } from '../../controller/store/hosts.ts'
import type { Redis } from '../../controller/store/redis.ts'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import { readTarget } from '../../shared/targets.ts'

/** How long a host of the rig stays alive unless a test says otherwise. */
export const leaseMs = 15_000

export type TestContainer = Partial<Inventory__Output['containers'][number]> & { id: string }

function inventory(
  tags: Record<string, string>,
  containers: readonly TestContainer[],
): Inventory__Output {
  return {
    tags,
    containers: containers.map((container) => ({
      name: container.id,
      image: 'test',
      state: 'running',
      labels: {},
      protected: false,
      ...container,
    })),
    capabilities: [],
    limits: null,
    facts: null,
  }
}

/** A target as a client sends it; `labels` stands beside it in the body. */
export interface Sent {
  readonly labels?: Record<string, string>
  readonly [key: string]: unknown
}

/** One team with its hosts and attacks, on a real Redis. */
export function targetingRig(redis: Redis, teamId: string = randomUUID()) {
  const attacks = openAttacks(redis)
  const hosts = openHosts(redis)
  const attack = (
    { labels, ...body }: Sent,
    idempotency?: NewAttack['idempotency'],
    change: Partial<NewAttack> = {},
  ): NewAttack => ({
    teamId,
    type: 'cpu',
    args: [],
    params: {},
    lengthSeconds: 60,
    target: readTarget({ type: 'Random', ...body }, labels),
    createdBy: 'a@b.c',
    source: 'Api',
    idempotency,
    ...change,
  })
  const create = (
    sent: Sent,
    idempotency?: NewAttack['idempotency'],
    change: Partial<NewAttack> = {},
  ) => attacks.create(attack(sent, idempotency, change))
  const executionsOf = async (attackId: string) =>
    (await openExecutions(redis).ofAttacks(teamId, [attackId]))[0] ?? []
  return {
    teamId,
    create,
    executionsOf,
    preview: (sent: Sent) => attacks.preview(attack(sent)),
    /** The executions of an attack that must be accepted. */
    async created(sent: Sent) {
      const result = await create(sent)
      if (result.kind !== 'created') throw new Error(JSON.stringify(result))
      return await executionsOf(result.attackId)
    },
    claim: (
      identifier: string,
      tags: Record<string, string> = {},
      containers: readonly TestContainer[] = [],
      instanceId: string = identifier,
      lease: number = leaseMs,
      more: Partial<HostClaim> = {},
    ): Promise<ClaimResult> =>
      hosts.claim(
        teamId,
        {
          identifier,
          instanceId,
          bootId: `boot of ${instanceId}`,
          version: '1',
          address: '10.0.0.1:5',
          inventory: inventory(tags, containers),
          ...more,
        },
        lease,
      ),
  }
}
