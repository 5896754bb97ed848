import type { Inventory } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import { attackTypes } from '../../shared/attacks/index.ts'

const zones = ['eu-a', 'eu-b', 'eu-c']
const roles = ['web', 'api', 'worker', 'cache', 'db']

/** What a host of the fleet offers: it can do everything and has this many containers. */
export function inventoryOf(identifier: string, index: number, containers: number): Inventory {
  const role = roles[index % roles.length] as string
  return {
    tags: { fleet: 'virtual', zone: zones[index % zones.length] as string, role, host: identifier },
    containers: Array.from({ length: containers }, (_, at) => ({
      id: `${identifier}-${at}`.padEnd(64, '0'),
      name: `${role}-${at}`,
      image: `registry.example/${role}:1`,
      state: 'running',
      labels: { app: role, part: String(at) },
    })),
    capabilities: Object.values(attackTypes).flatMap((type) =>
      type.targets.map((targeting) => ({ attackType: type.type, targeting })),
    ),
    limits: {},
    facts: {
      osType: 'linux',
      osName: 'Virtual',
      osVersion: '1',
      cpuCores: 4,
      memoryBytes: 8 * 2 ** 30,
      dockerVersion: '27.0.0',
      engineId: `engine of ${identifier}`,
    },
  }
}
