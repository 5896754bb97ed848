import type { Command } from 'commander'
import type { CreateAttackBody } from '../../../shared/api/attacks.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { readPairs, singleValued } from './pairs.ts'

/** How people say who is hit. */
export interface TargetOptions {
  readonly random?: boolean
  readonly target?: readonly string[]
  readonly tag?: readonly string[]
  readonly label?: readonly string[]
  readonly container?: readonly string[]
  readonly allContainers?: boolean
  readonly count?: string
  readonly percentOfTargets?: string
}

/** The part of an attack request that says who is hit. */
export type AttackTarget = Pick<CreateAttackBody, 'target' | 'labels'>
type Target = AttackTarget['target']

/** The options that `readTarget` reads. */
export function addTargetOptions(command: Command): void {
  command
    .option('--random', 'one host of the team, drawn at random')
    .option('--target <host...>', 'these hosts, all of which must be there')
    .option('--tag <key=value...>', 'a random host that carries these tags (a key twice: either)')
    .option(
      '--label <key=value...>',
      'the containers there with these labels (a key twice: either)',
    )
    .option('--container <container...>', 'these containers, by id, start of the id, or name')
    .option('--all-containers', 'all containers there')
    .option('--count <n>', 'draw so many hosts; with container options, so many containers')
    .option('--percent-of-targets <n>', 'draw this share of the hosts or containers, rounded up')
}

/** The target of the request. @throws CliError when nobody, or two different things, are named */
export function readTarget(options: TargetOptions): AttackTarget {
  refuseContradictions(options)
  const draw = readDraw(options)
  const hosts = readHosts(options, draw !== undefined)
  const labels = readPairs('--label', options.label)
  const plain = singleValued(labels)
  const isNarrowedMore = options.container || options.allContainers
  // Drawn from are the containers only when they stand in the target itself.
  if (options.label && plain && !isNarrowedMore && !draw) return { target: hosts, labels: plain }
  const containers = containersOf(options, labels)
  return { target: { ...hosts, ...draw, ...(containers ? { containers } : {}) } }
}

function refuseContradictions(options: TargetOptions): void {
  const { random, target, tag, allContainers, label, container } = options
  if (target && (random || tag)) throw wrong('--target cannot stand with --random or --tag.')
  if (allContainers && (label || container))
    throw wrong('--all-containers cannot stand with --label or --container.')
  if (options.count !== undefined && options.percentOfTargets !== undefined)
    throw wrong('--count cannot stand with --percent-of-targets. Give one of them.')
}

/** How many are drawn; undefined leaves it to the other options. */
function readDraw(options: TargetOptions): Pick<Target, 'exact' | 'percent'> | undefined {
  const { count, percentOfTargets: percent } = options
  if (count !== undefined) {
    if (/^[1-9]\d{0,5}$/.test(count)) return { exact: Number(count) }
    throw wrong(`--count cannot be "${count}". Allowed: a whole number from 1.`)
  }
  if (percent === undefined) return undefined
  const value = /^\d{1,3}(\.\d{1,6})?$/.test(percent) ? Number(percent) : 0
  if (value > 0 && value <= 100) return { percent: value }
  throw wrong(`--percent-of-targets cannot be "${percent}". Allowed: more than 0, up to 100.`)
}

function readHosts(options: TargetOptions, isDrawn: boolean): Target {
  const { target, tag } = options
  if (target)
    return isDrawn
      ? { type: 'Random', hosts: { ids: [...target] } }
      : { type: 'Exact', exact: [...target] }
  const tags = readPairs('--tag', tag)
  const plain = singleValued(tags)
  if (tag) return { type: 'Random', ...(plain ? { tags: plain } : { multiSelectTags: tags }) }
  if (options.random || isDrawn) return { type: 'Random' }
  if (options.container) return { type: 'Exact' }
  const among = options.label || options.allContainers ? ' (100 for all of them)' : ''
  throw wrong(
    'Say who is hit: --random, --tag key=value, --target host, --container id, --count n or ' +
      `--percent-of-targets n${among}.`,
  )
}

function containersOf(
  options: TargetOptions,
  labels: Record<string, string[]>,
): Target['containers'] {
  if (options.allContainers) return 'all'
  if (!options.container && !options.label) return undefined
  return {
    ...(options.container ? { ids: [...options.container] } : {}),
    ...(options.label ? { multiSelectLabels: labels } : {}),
  }
}

function wrong(message: string): CliError {
  return new CliError(message, exitCodes.usage)
}
