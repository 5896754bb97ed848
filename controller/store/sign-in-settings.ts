import { defaultAuthPreferences, type AuthPreferences } from '../../shared/api/auth-preferences.ts'
import type { Seal } from '../auth/seal.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'
import type { SealedPlace } from './sealed-place.ts'

/** The SAML identity provider of a company. */
export interface SamlSettings {
  readonly entityId: string
  readonly url: string
  /** PEM, each of an RSA key; signatures verify with any of them. */
  readonly certificates: readonly string[]
  /** Whether sign-ins may begin at the provider. */
  readonly idpInitiated: boolean
  /** Another one with each change; sign-ins that began before are over. */
  readonly version: string
  /** Owners who came in with these settings. */
  readonly proofs: readonly SamlProof[]
}

/** That somebody has signed in with a provider. */
export interface SamlProof {
  readonly userId: string
  /** SHA-256 of the certificate that it was signed with. */
  readonly certificate: string
}

/** What a provider says of itself, where it can be asked. */
export interface DiscoveredProvider {
  readonly issuer: string
  readonly jwksUri: string
  /** How it wants to be shown the secret of a client. */
  readonly tokenAuth: 'basic' | 'post'
  /** Whether it names itself when it answers. */
  readonly namesItself: boolean
  /** With which it signs ID tokens. */
  readonly algorithms: readonly string[]
}

/** The addresses of an OAuth provider. */
export interface ProviderAddresses {
  readonly authorizationUri: string
  readonly tokenUri: string
  readonly userInfoUri: string
}

/** The OAuth provider of a company. */
export interface OAuthSettings extends ProviderAddresses {
  readonly clientId: string
  /** As `oauthSecretName` of the company. */
  readonly clientSecretSealed: string
  readonly scope: string
  /** Absent where only the three addresses are known. */
  readonly discovered: DiscoveredProvider | undefined
  /** Where browsers may be sent with a code, besides this service itself. */
  readonly redirectUris: readonly string[]
  /** Whether access tokens count that were obtained elsewhere than here. */
  readonly acceptsForeignTokens: boolean
  /** Another one with each change; sign-ins that began before are over. */
  readonly version: string
  /** Those who came in with these settings. */
  readonly proofs: readonly { readonly userId: string }[]
}

/** As what the client secret of a company's provider is sealed. */
export function oauthSecretName(companyId: string): string {
  return `oauth client secret ${companyId}`
}

/** How people sign in to a company: what is allowed, and with which provider. */
export interface SignInSettings {
  readonly preferences: AuthPreferences
  /** Absent while no provider is set. */
  readonly saml: SamlSettings | undefined
  /** Absent while no provider is set. */
  readonly oauth: OAuthSettings | undefined
  /** Those who came in by the public provider of the service, whichever that was. */
  readonly publicProofs?: OAuthSettings['proofs'] | undefined
}

/** How people sign in to each company, as one thing: what may be switched off depends on what is set. */
export interface SignInSettingsStore extends SealedPlace {
  read(companyId: string): Promise<SignInSettings>
  /**
   * Changes them; `edit` is asked again when someone else changed them meanwhile, so that its checks hold
   * for what is replaced.
   * @throws what `edit` throws
   */
  change(
    companyId: string,
    edit: (now: SignInSettings) => SignInSettings,
  ): Promise<{ readonly before: SignInSettings; readonly after: SignInSettings }>
}

const fields = ['authPreferences', 'samlSettings', 'oauthSettings', 'publicProofs'] as const
const replaceFields = loadScript('replace-fields')

/** Opens the store of what companies have chosen for signing in. */
export function openSignInSettings(redis: Redis, seal: Seal): SignInSettingsStore {
  const readTexts = async (companyId: string) =>
    (await redis.hmget(keys.company(companyId), ...fields)).map((text) => text ?? '')
  const store: SignInSettingsStore = {
    read: async (companyId) => toSettings(await readTexts(companyId)),
    async change(companyId, edit) {
      for (;;) {
        const texts = await readTexts(companyId)
        const before = toSettings(texts)
        const after = edit(before)
        const next = [after.preferences, after.saml, after.oauth, after.publicProofs].map((part) =>
          part === undefined ? '' : JSON.stringify(part),
        )
        const args = fields.flatMap((field, index) => [
          field,
          texts[index] ?? '',
          next[index] ?? '',
        ])
        if ((await replaceFields.run(redis, [keys.company(companyId)], args)) === 1)
          return { before, after }
      }
    },
    async reseal() {
      let count = 0
      for (const companyId of await redis.hvals(keys.companyNames)) {
        if (!(await store.read(companyId)).oauth) continue
        let isRenewed = false
        await store.change(companyId, (now) => {
          const clientSecretSealed =
            now.oauth && seal.renew(now.oauth.clientSecretSealed, oauthSecretName(companyId))
          isRenewed = clientSecretSealed !== undefined
          return now.oauth && clientSecretSealed !== undefined
            ? { ...now, oauth: { ...now.oauth, clientSecretSealed } }
            : now
        })
        if (isRenewed) count += 1
      }
      return count
    },
  }
  return store
}

function toSettings([
  preferences = '',
  saml = '',
  oauth = '',
  proofs = '',
]: readonly string[]): SignInSettings {
  return {
    preferences: {
      ...defaultAuthPreferences,
      ...(JSON.parse(preferences || '{}') as Partial<AuthPreferences>),
    },
    saml: saml === '' ? undefined : (JSON.parse(saml) as SamlSettings),
    oauth: oauth === '' ? undefined : (JSON.parse(oauth) as OAuthSettings),
    publicProofs: proofs === '' ? undefined : (JSON.parse(proofs) as OAuthSettings['proofs']),
  }
}
