import { expect, test } from 'vitest'
import type { ApiClient } from '../../../shared/api/client.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import { toKept, type KeptSession } from './kept-session.ts'
import { renewedHeader } from './renewal.ts'
import type { SessionStore } from './session-store.ts'

/** A session whose token is over as soon as it is there. */
function sessionWith(renewToken: string): Session {
  const expires_at = new Date().toISOString()
  return { renew_token: renewToken, header: `Bearer ${renewToken}`, expires_at } as Session
}

/** Renews as the controller does: a renew token is good once, and once more with the key that it was used with. */
function controllerWith(first: string): ApiClient {
  const after = new Map<string, string>()
  let present = first
  const call = async (
    _: unknown,
    input: { body: KeptSession; headers: Record<string, string> },
  ) => {
    const { renewToken } = input.body
    const next = `${renewToken} ${input.headers['idempotency-key']}`
    if (renewToken !== present && after.get(renewToken) !== next)
      throw new ApiError('unauthenticated', 'A renew_token is good once.')
    after.set(renewToken, next)
    present = next
    return sessionWith(next)
  }
  return { call } as unknown as ApiClient
}

/** A tab that has not heard yet what the other one did. */
function tabWith(first: KeptSession): SessionStore {
  let mine = first
  return {
    current: () => mine,
    renew: (_, session) => void (mine = session),
  } as Partial<SessionStore> as SessionStore
}

test('tabs that renew at once have the same session, again and again', async () => {
  const anonymous = controllerWith('r')
  const first = toKept(sessionWith('r'))
  const tabs = [tabWith(first), tabWith(first)].map((tab) => renewedHeader(tab, anonymous))
  for (let round = 0; round < 3; round += 1) {
    const [one, other] = await Promise.all(tabs.map((tab) => tab.current()))
    expect(one).toBe(other)
  }
})
