import type { QueryClient } from '@tanstack/react-query'

/** Teams have changed: wherever their names stand they are asked for anew. */
export async function refreshTeams(cache: QueryClient): Promise<void> {
  await Promise.all(
    ['teams', 'team', 'users', 'self'].map((kind) => cache.invalidateQueries({ queryKey: [kind] })),
  )
}
