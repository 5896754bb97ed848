import { watchAttack, watchTeam } from '../../../shared/api/events.ts'
import type { EventFeed } from '../../events/feed.ts'
import { endWhenRefused } from '../../events/end-when-refused.ts'
import { openSse } from '../../events/sse.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createWatchService } from './service.ts'

/** Streams of what happens. They last as long as the client wants, or until the attack is over. */
export function addEventRoutes(router: Router, deps: { store: Store; feed: EventFeed }): void {
  const service = createWatchService(deps.store, deps.feed)
  router.add(watchAttack, async ({ team, params, headers, reply, admitAgain }) => {
    const resume = headers['last-event-id']
    await service.mustExist(team.id, params.guid)
    const from = await service.startAt(team.id, resume)
    reply.hijack()
    await service.watchAttack(endWhenRefused(openSse(reply.raw), admitAgain), {
      teamId: team.id,
      attackId: params.guid,
      from,
      isResumed: resume !== undefined,
    })
    return ''
  })
  router.add(watchTeam, async ({ team, headers, reply, admitAgain }) => {
    const from = await service.startAt(team.id, headers['last-event-id'])
    reply.hijack()
    const stream = endWhenRefused(openSse(reply.raw), admitAgain)
    await service.watchTeam(stream, team.id, from)
    return ''
  })
}
