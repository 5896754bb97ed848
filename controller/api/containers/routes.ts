import {
  listContainerLabels,
  listContainers,
  matchContainers,
  readContainer,
} from '../../../shared/api/containers.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { carries, isAbsent } from '../../../shared/targets.ts'
import type { Router } from '../../plugins/routes.ts'
import { containerNotFound } from '../../records/not-found.ts'
import { containersOf } from '../../store/hosts.ts'
import type { Store } from '../../store/store.ts'

/** The running containers on the active hosts of a team. */
export function addContainerRoutes(router: Router, { store }: { store: Store }): void {
  const list = async (teamId: string) =>
    containersOf((await store.hosts.list(teamId)).filter((client) => client.state === 'ACTIVE'))
  router.add(listContainers, ({ team }) => list(team.id))
  router.add(readContainer, async ({ team, params }) => {
    const containers = await list(team.id)
    const container = containers.find((one) => one.identifier === params.identifier)
    if (!container) throw containerNotFound(params.identifier)
    return container
  })
  router.add(listContainerLabels, async ({ team }) => {
    const keys = (await list(team.id)).flatMap((one) => Object.keys(one.container_labels))
    return { labelKeys: [...new Set(keys)].sort() }
  })
  router.add(matchContainers, async ({ team, body }) => {
    const { isAll, ids, multiSelectLabels } = body
    const given = [isAll === true, !isAbsent(ids), !isAbsent(multiSelectLabels)].filter(Boolean)
    if (given.length !== 1)
      throw new ApiError(
        'invalid_body',
        'Give exactly one of isAll (true), ids and multiSelectLabels.',
        { details: { field: 'isAll, ids, multiSelectLabels', allowed: 'exactly one' } },
      )
    const containers = await list(team.id)
    const matched = containers.filter((one) =>
      ids?.length
        ? ids.includes(one.identifier)
        : carries(multiSelectLabels ?? {}, one.container_labels),
    )
    return {
      matchedContainers: matched.map((one) => ({
        id: one.identifier,
        clientId: one.client_id,
        name: one.name,
        labels: one.container_labels,
      })),
      totalContainerCount: containers.length,
    }
  })
}
