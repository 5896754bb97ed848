import { ApiError } from '../../../shared/api/errors.ts'
import { readHealth, readOpenApi } from '../../../shared/api/service.ts'
import { version } from '../../../shared/version.ts'
import type { Router } from '../../plugins/routes.ts'

export interface HealthPart {
  readonly status: 'ok' | 'warning' | 'failed'
  readonly message: string
}

/** Health and the description of the interface. */
export function addServiceRoutes(
  router: Router,
  { health }: { health: () => Promise<Record<string, HealthPart>> },
  openApi: () => object,
): void {
  router.add(readHealth, async () => {
    const parts = await health()
    const failed = Object.entries(parts).filter(([, part]) => part.status === 'failed')
    if (failed.length > 0)
      throw new ApiError(
        'not_ready',
        `Not ready: ${failed.map(([name, part]) => `${name}: ${part.message}`).join('; ')}`,
        { details: { parts }, retryAfterSeconds: 2 },
      )
    return { status: 'ok' as const, version, parts }
  })
  router.add(readOpenApi, () => openApi() as Record<string, never>)
}
