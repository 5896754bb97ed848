import { ApiError } from '../../../shared/api/errors.ts'
import type { Selector, Target } from '../../../shared/targets.ts'
import type { Unmet } from '../../store/creation-result.ts'

type Refused = Extract<Unmet, { kind: 'missing' | 'none' | 'few' }>

/** Says what was looked for and not there; the hosts of other teams are simply not there. */
export function targetProblem(target: Target, result: Refused): ApiError {
  const details = {
    missing: result.kind === 'missing' ? result.ids : [],
    tags: target.hosts.tags,
    labels: target.containers?.labels ?? {},
  }
  return new ApiError('target_not_found', `${problemOf(target, result)} Nothing was started.`, {
    details,
  })
}

/** The same as a sentence. */
export function problemOf(target: Target, result: Refused): string {
  if (result.kind === 'missing') {
    const ids = result.ids.join(', ').slice(0, 500)
    return `Not among the live hosts of this team or their open containers: ${ids}.`
  }
  if (result.kind === 'few') {
    const what = target.draw?.of === 'containers' ? 'containers' : 'hosts'
    return `${result.asked} ${what} were asked for, and ${result.matching} match.`
  }
  if (result.hostsWithTags === 0) return noHost(target, result.controllerHosts)
  const labels = words(target.containers?.labels ?? {})
  const which = labels ? ` that carries the labels ${labels}` : ''
  const guarded =
    result.protectedContainers > 0
      ? ` ${result.protectedContainers} that would match are protected by their owner.`
      : ''
  return `There is no running container${which} on these hosts.${guarded}`
}

function noHost({ hosts }: Target, controllerHosts: number): string {
  if (controllerHosts > 0)
    return `A controller runs on every live host that matches (${controllerHosts}); without --allow-controller-host these are spared.`
  return Object.keys(hosts.tags).length > 0
    ? `No live host of this team carries the tags ${words(hosts.tags)}.`
    : 'This team has no live host. Add one, or start its agent.'
}

function words(selector: Selector): string {
  return Object.entries(selector)
    .map(([key, values]) => `${key}=${values.join(' or ')}`)
    .join(', ')
    .slice(0, 300)
}
