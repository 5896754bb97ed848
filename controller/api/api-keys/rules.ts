import { ApiError } from '../../../shared/api/errors.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { Company } from '../../store/companies.ts'
import type { Store } from '../../store/store.ts'

/** @throws ApiError `method_disabled` where the company does not allow keys */
export async function checkKeysAllowed(store: Store, company: Company): Promise<void> {
  if ((await store.authPreferences.read(company.id)).apiKeysEnabled) return
  throw new ApiError('method_disabled', `${company.name} does not allow keys.`)
}

/**
 * When a key of the company ends, epoch ms; undefined for never.
 * @throws ApiError `invalid_body` for what is past, or later than the company allows
 */
export async function readEnd(
  store: Store,
  company: Company,
  expiresAt: string | undefined,
): Promise<number | undefined> {
  const preferences = await store.authPreferences.read(company.id)
  const now = Date.now()
  const latestMs = preferences.apiKeysMaxSecondsToExpireEnabled
    ? now + preferences.apiKeysMaxSecondsToExpire * 1000
    : Number.POSITIVE_INFINITY
  const endMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt)
  if (endMs > now && endMs <= latestMs) return Number.isFinite(endMs) ? endMs : undefined
  const allowed = Number.isFinite(latestMs)
    ? `a moment to come, ${timestamp(latestMs)} at the latest`
    : 'a moment to come, as 2030-01-31T12:00:00.000Z'
  const value = expiresAt?.slice(0, 60)
  const fault = value === undefined ? 'expiresAt is missing' : `expiresAt cannot be "${value}"`
  throw new ApiError('invalid_body', `${fault}. Allowed: ${allowed}.`, {
    details: { field: 'expiresAt', value: value ?? null },
  })
}
