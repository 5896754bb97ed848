import { defineAttack } from './define.ts'
import { lengthSeconds } from './length.ts'

/** Keeps cores busy. Percentages of a container are of its own capacity (quota and cpuset). */
export const cpu = defineAttack({
  type: 'cpu',
  title: 'CPU',
  category: 'Resource',
  summary: 'Keeps CPU cores busy, added to the load that is there.',
  params: {
    lengthSeconds,
    cores: {
      type: 'integer',
      default: 1,
      minimum: 1,
      maximum: 4096,
      unit: 'cores',
      title: 'Cores',
      description: 'Cores to load; more than the target has loads all of them.',
    },
    allCores: {
      type: 'boolean',
      default: false,
      title: 'All cores',
      description: 'Load every core of the target.',
    },
    percent: {
      type: 'integer',
      default: 100,
      minimum: 1,
      maximum: 100,
      unit: '%',
      title: 'Load of each core',
      description: 'Share of each loaded core.',
    },
  },
  flags: {
    lengthSeconds: { short: 'l', long: 'length' },
    cores: { short: 'c', long: 'cores' },
    allCores: { short: 'a', long: 'all-cores' },
    percent: { short: 'p', long: 'percent' },
  },
  conflicts: [['cores', 'allCores']],
  targets: ['Host', 'Container'],
  needs: ['containers: root, a Docker Engine and the cpu control group'],
  privilege: 'FAULT_CPU',
  lengthSeconds: (params) => params.lengthSeconds,
  requested: (params, capacity) => {
    const loadCores = cpuLoadCores(params, capacity.cores)
    return {
      metric: 'cpu',
      value: (100 * loadCores) / capacity.cores,
      unit: 'percent_of_capacity',
      detail: { load_cores: loadCores, capacity_cores: capacity.cores },
    }
  },
})

/** The load asked for, in cores: min(cores asked, capacity) x percent. */
export function cpuLoadCores(
  params: { cores: number; allCores: boolean; percent: number },
  capacityCores: number,
): number {
  const cores = params.allCores ? capacityCores : Math.min(params.cores, capacityCores)
  return (cores * params.percent) / 100
}
