import { isLocal } from '../auth/provider-settings.ts'
import { googleIssuer } from './identity.ts'
import type { PublicProviderSettings } from './public-provider.ts'

/** What the environment says of identity providers. */
export interface ProviderSettings {
  /** Undefined: there is none. */
  readonly publicProvider: PublicProviderSettings | undefined
  /** Whether providers may be on this machine; undefined: where the service itself is reached there. */
  readonly localProviders: boolean | undefined
}

/** Reads the settings of identity providers; what is wrong is added to `faults`. */
export function readProviderSettings(env: NodeJS.ProcessEnv, faults: string[]): ProviderSettings {
  return {
    publicProvider: readPublicProvider(env, faults),
    localProviders: readChoice(env['TEMBLOR_LOCAL_PROVIDERS'], faults),
  }
}

function readPublicProvider(
  env: NodeJS.ProcessEnv,
  faults: string[],
): PublicProviderSettings | undefined {
  const [clientId, clientSecret] = [
    env['TEMBLOR_OIDC_CLIENT_ID'],
    env['TEMBLOR_OIDC_CLIENT_SECRET'],
  ]
  const issuer = env['TEMBLOR_OIDC_ISSUER'] || googleIssuer
  if (!clientId && !clientSecret && !env['TEMBLOR_OIDC_ISSUER']) return undefined
  const url = URL.parse(issuer)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url.hostname))
  if (!isSafe) faults.push(`TEMBLOR_OIDC_ISSUER cannot be "${issuer}". Allowed: an https address.`)
  if (clientId && clientSecret) return { issuer, clientId, clientSecret }
  faults.push(
    'TEMBLOR_OIDC_CLIENT_ID and TEMBLOR_OIDC_CLIENT_SECRET belong together. Set both, or none and no TEMBLOR_OIDC_ISSUER.',
  )
  return undefined
}

function readChoice(text: string | undefined, faults: string[]): boolean | undefined {
  if (!text) return undefined
  if (text !== 'yes' && text !== 'no')
    faults.push(`TEMBLOR_LOCAL_PROVIDERS cannot be "${text}". Allowed: yes, no.`)
  return text === 'yes'
}
