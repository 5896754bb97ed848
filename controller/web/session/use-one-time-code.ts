import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../shared/api/errors.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import { useApp } from '../app-context.ts'
import { toKept } from './kept-session.ts'
import { rememberChoice } from './last-choices.ts'
import { safeReturn } from './return-path.ts'

/**
 * Exchanges the code of an address for a session, once, and leads on. The code leaves the address before
 * anything else happens.
 */
export function useOneTimeCode(
  code: string | undefined,
  destination: string | undefined,
  exchange: (code: string) => Promise<Session>,
): { readonly error: unknown } {
  const { sessions } = useApp()
  const router = useRouter()
  const [error, setError] = useState<unknown>()
  // The first rendering counts: the address loses the code, and effects may run twice.
  const first = useRef({ code, destination, exchange, isDone: false })
  useEffect(() => {
    const work = first.current
    if (work.isDone) return
    work.isDone = true
    history.replaceState(history.state, '', location.pathname)
    if (!work.code) {
      setError(new ApiError('sso_refused', 'There is no code in this address.'))
      return
    }
    const enter = async (oneTimeCode: string) => {
      const session = await work.exchange(oneTimeCode)
      rememberChoice('company', session.company_name)
      sessions.begin(toKept(session))
      router.history.replace(safeReturn(work.destination))
    }
    enter(work.code).catch(setError)
  }, [router, sessions])
  return { error }
}
