import { useSyncExternalStore } from 'react'

const everyMs = 1_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const one of listeners) one()
  }, everyMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time in epoch ms, a second exact; one clock for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
