import { createHash } from 'node:crypto'
import type { Outbound } from './outbound.ts'
import { discover, type Provider } from './provider.ts'

/** The public provider of an installation, as its settings name it. */
export interface PublicProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** An identity provider that anybody may have an account at; companies choose whether it lets people in. */
export interface PublicProvider {
  /** Another one for other settings. */
  readonly version: string
  /** It is asked for its addresses once an hour. @throws SsoRefusal `provider` */
  read(): Promise<Provider>
}

const keptMs = 3_600_000

/** Makes it; nothing is asked yet. */
export function createPublicProvider(
  { issuer, clientId, clientSecret }: PublicProviderSettings,
  outbound: Outbound,
): PublicProvider {
  let known: { readonly provider: Provider; readonly untilMs: number } | undefined
  return {
    version: createHash('sha256')
      .update(JSON.stringify([issuer, clientId]))
      .digest('base64url'),
    async read() {
      if (known && known.untilMs > Date.now()) return known.provider
      const { authorizationUri, tokenUri, userInfoUri, ...discovered } = await discover(
        outbound,
        issuer,
      )
      const addresses = { authorizationUri, tokenUri, userInfoUri }
      const provider = { ...addresses, discovered, clientId, clientSecret, scope: 'openid email' }
      known = { provider, untilMs: Date.now() + keptMs }
      return provider
    },
  }
}
