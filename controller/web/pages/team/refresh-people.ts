import type { QueryClient } from '@tanstack/react-query'

/** Roles have changed, perhaps one's own: what follows from them is asked for anew. */
export async function refreshPeople(cache: QueryClient): Promise<void> {
  await Promise.all(
    ['users', 'self', 'keys'].map((kind) => cache.invalidateQueries({ queryKey: [kind] })),
  )
}
