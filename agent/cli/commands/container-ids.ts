import type { ApiClient } from '../../../shared/api/client.ts'
import { type Container, listContainers } from '../../../shared/api/containers.ts'
import { CliError } from '../exit-codes.ts'
import type { AttackTarget } from './target-options.ts'

const wholeId = /^[0-9a-f]{64}$/

/** The same target with whole ids: people name containers by their name or the start of the id. */
export async function withContainerIds(api: ApiClient, asked: AttackTarget): Promise<AttackTarget> {
  const { containers } = asked.target
  const named = typeof containers === 'object' ? containers?.ids : undefined
  if (!named || named.every((one) => wholeId.test(one))) return asked
  const ids = await findContainerIds(api, named)
  return { ...asked, target: { ...asked.target, containers: { ...(containers as object), ids } } }
}

/**
 * The ids of these containers; one that is not there is left to the controller to refuse.
 * @throws CliError when one could be several
 */
export async function findContainerIds(
  api: ApiClient,
  names: readonly string[],
): Promise<string[]> {
  const known = names.every((one) => wholeId.test(one)) ? [] : await api.call(listContainers)
  return names.map((name) => findContainerId(known, name))
}

function findContainerId(known: readonly Container[], name: string): string {
  if (wholeId.test(name)) return name
  const found = known.filter((one) => one.name === name || one.identifier.startsWith(name))
  const [only] = found
  if (only && found.length === 1) return only.identifier
  if (!only) return name
  const list = found.map((one) => `${one.identifier} (${one.name} on ${one.client_id})`).join(', ')
  throw new CliError(`"${name}" could be ${found.length} containers: ${list}.`)
}
