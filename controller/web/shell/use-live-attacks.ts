import { useEffect, useState } from 'react'
import { applyEvent, refreshAttacks } from '../api/attacks.ts'
import { followTeam } from '../api/follow-events.ts'
import { useApp } from '../app-context.ts'

/** Keeps what is shown of a team's attacks as it is, by the events of the API. Says whether it does. */
export function useLiveAttacks(teamId: string | undefined): 'connecting' | 'live' | 'lost' {
  const { api, queryClient } = useApp()
  const [state, setState] = useState<'connecting' | 'live' | 'lost'>('connecting')
  useEffect(() => {
    if (teamId === undefined) return undefined
    const stop = new AbortController()
    const listener = {
      onEvent: (event: Parameters<typeof applyEvent>[2]) => applyEvent(queryClient, teamId, event),
      onState: (now: 'live' | 'resumed' | 'lost') => {
        setState(now === 'lost' ? 'lost' : 'live')
        if (now === 'live') void refreshAttacks(queryClient, teamId)
      },
    }
    // Refused for good: the page says what it knows, and that it is not live.
    followTeam(api, teamId, listener, stop.signal).catch(() => setState('lost'))
    return () => stop.abort()
  }, [api, queryClient, teamId])
  return state
}
