import { useLocation } from '@tanstack/react-router'
import { useMemo } from 'react'

/**
 * What stands behind the # of a link that was mailed or handed on, which browsers send to nobody. It stays there
 * until it is used up, so that the page may be loaded again.
 */
export function useLinkFacts(): URLSearchParams {
  // Another link in the same tab changes nothing else. Its own text counts: the router's is decoded.
  const { hash } = useLocation()
  return useMemo(() => new URLSearchParams(hash && location.hash.slice(1)), [hash])
}

/** What was used up need not stay in the history. */
export function dropLinkFacts(): void {
  history.replaceState(history.state, '', location.pathname)
}
