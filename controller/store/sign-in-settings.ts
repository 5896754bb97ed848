import { defaultAuthPreferences, type AuthPreferences } from '../../shared/api/auth-preferences.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

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

/** How people sign in to a company: what is allowed, and with which provider. */
export interface SignInSettings {
  readonly preferences: AuthPreferences
  /** Absent while no provider is set. */
  readonly saml: SamlSettings | undefined
}

/** How people sign in to each company, as one thing: what may be switched off depends on what is set. */
export interface SignInSettingsStore {
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

const fields = ['authPreferences', 'samlSettings'] as const
const replaceFields = loadScript('replace-fields')

/** Opens the store of what companies have chosen for signing in. */
export function openSignInSettings(redis: Redis): SignInSettingsStore {
  const readTexts = async (companyId: string) =>
    (await redis.hmget(keys.company(companyId), ...fields)).map((text) => text ?? '')
  return {
    read: async (companyId) => toSettings(await readTexts(companyId)),
    async change(companyId, edit) {
      for (;;) {
        const texts = await readTexts(companyId)
        const before = toSettings(texts)
        const after = edit(before)
        const next = [after.preferences, after.saml].map((part) =>
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
  }
}

function toSettings([preferences = '', saml = '']: readonly string[]): SignInSettings {
  return {
    preferences: {
      ...defaultAuthPreferences,
      ...(JSON.parse(preferences || '{}') as Partial<AuthPreferences>),
    },
    saml: saml === '' ? undefined : (JSON.parse(saml) as SamlSettings),
  }
}
