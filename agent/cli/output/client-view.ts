import type { Client } from '../../../shared/api/clients.ts'
import { formatTable } from './table.ts'

/** A table of hosts, one a line. */
export function clientTable(clients: readonly Client[]): string[] {
  const rows = clients.map((one) => [
    one.identifier,
    stateOf(one),
    one.version,
    `${one.os_name} ${one.os_version}`.trim(),
    String(one.containers.length),
    String(one.running_executions.length),
    tagsOf(one),
    one.last_seen,
  ])
  return formatTable([
    ['HOST', 'STATE', 'VERSION', 'SYSTEM', 'CONTAINERS', 'ATTACKS', 'TAGS', 'LAST SEEN'],
    ...rows,
  ])
}

/** The lines of `client show`. */
export function clientLines(client: Client): string[] {
  const { capabilities, containers } = client
  const facts = [
    ['state', stateOf(client)],
    ['last seen', client.last_seen],
    ['system', `${client.os_name} ${client.os_version} (${client.os_type})`],
    ['size', `${client.cpu_cores} cores, ${(client.memory_bytes / 2 ** 30).toFixed(1)} GiB`],
    ['docker', client.docker_version ?? 'none'],
    ['agent', `version ${client.version}, instance ${client.instance_id}`],
    ['tags', tagsOf(client)],
    ['owner allows', limitsOf(client)],
    ['attacks running', String(client.running_executions.length)],
  ]
  return [
    client.identifier,
    ...facts.map(([name = '', value]) => `  ${name.padEnd(16)} ${value}`),
    '',
    ...formatTable([
      ['ATTACK', 'AIMED AT', 'CAN IT'],
      ...capabilities.map((one) => [
        one.attack_type,
        one.targeting,
        one.status === 'SUCCESS' ? 'yes' : `no: ${one.reason ?? ''}`,
      ]),
    ]),
    ...(containers.length > 0 ? ['', ...containerTable(containers)] : []),
  ]
}

interface ContainerRow {
  readonly id: string
  readonly name: string
  readonly image: string
  readonly state: string
  readonly labels: Readonly<Record<string, string>>
  readonly protected: boolean
  readonly host?: string
}

/** A table of containers; with a column for the host when they are of several. */
export function containerTable(containers: readonly ContainerRow[]): string[] {
  const rows = containers.map((one) => [
    one.id.slice(0, 12),
    one.name,
    ...(one.host === undefined ? [] : [one.host]),
    one.image,
    one.protected ? `${one.state}, protected` : one.state,
    pairsOf(one.labels),
  ])
  const host = containers[0]?.host === undefined ? [] : ['HOST']
  return formatTable([['CONTAINER', 'NAME', ...host, 'IMAGE', 'STATE', 'LABELS'], ...rows])
}

function stateOf({ state, targetable }: Client): string {
  return state === 'ACTIVE' && !targetable ? 'ACTIVE, silent' : state
}

function tagsOf({ tags }: Client): string {
  return pairsOf(tags) || '-'
}

function pairsOf(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')
}

function limitsOf({ limits }: Client): string {
  const words = [
    limits.attack_types === null ? '' : `only ${limits.attack_types.join(', ')}`,
    limits.max_length_seconds === null ? '' : `at most ${limits.max_length_seconds} s`,
    limits.max_percent === null ? '' : `at most ${limits.max_percent} %`,
    limits.max_containers === null ? '' : `at most ${limits.max_containers} containers`,
    limits.shutdown_forbidden ? 'no shutdown' : '',
  ]
  return words.filter(Boolean).join('; ') || 'everything'
}
