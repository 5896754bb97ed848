import { ApiError } from '../../../shared/api/errors.ts'
import type { Privilege } from '../../../shared/roles.ts'
import type { Store } from '../../store/store.ts'
import { targetKindOf, type AttackRequest } from './command.ts'

const privilege: Privilege = 'CONTROLLER_HOST_ATTACK'

/** Whether this attack takes hosts down. */
function takesHostsDown({ type, params, target }: AttackRequest): boolean {
  return type.goesDown?.(params as never, targetKindOf(target)) !== undefined
}

/** The boot ids of hosts that must stay up because a controller runs there. */
export async function sparedBootIds(store: Store, request: AttackRequest): Promise<string[]> {
  const isAllowed = request.params['allowControllerHost'] === true
  return isAllowed || !takesHostsDown(request) ? [] : await store.controllers.bootIds()
}

/** Why this caller may not make such a request at all; undefined when they may. */
export function controllerHostProblem(
  request: AttackRequest,
  privileges: ReadonlySet<Privilege>,
): string | undefined {
  if (request.params['allowControllerHost'] !== true || !takesHostsDown(request)) return undefined
  return privileges.has(privilege)
    ? undefined
    : '--allow-controller-host needs the company role COMPANY_ADMIN or COMPANY_OWNER.'
}

/** The refusal of a request that names hosts on which a controller runs. */
export function namedControllerHosts(hosts: readonly string[]): string {
  const names = hosts.join(', ').slice(0, 500)
  return `A controller runs on ${names}. To take it down as well, give --allow-controller-host with the company role COMPANY_ADMIN or COMPANY_OWNER.`
}

/** The error that says so. */
export function controllerHostError(problem: string, hosts: readonly string[] = []): ApiError {
  return new ApiError('controller_host', `${problem} Nothing was started.`, {
    details: { field: 'command.args', flag: '--allow-controller-host', privilege, hosts },
  })
}
