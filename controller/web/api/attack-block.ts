import { queryOptions } from '@tanstack/react-query'
import { readAttackBlock } from '../../../shared/api/attack-block.ts'
import type { WebApi } from './create-api.ts'

const askAgainMs = 15_000

/** Whether new attacks are blocked. There are no events of it, so that it is asked for now and then. */
export function attackBlockQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['attack-block'],
    queryFn: ({ signal }) => api.call(readAttackBlock, { signal }),
    refetchInterval: askAgainMs,
  })
}
