import { ApiError } from '../../../shared/api/errors.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import type { SamlIdpMetadata, setSamlProps } from '../../../shared/api/saml.ts'
import type { SignInFailure } from '../../../shared/api/sign-in-failures.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import { changesOf } from '../../audit/changes.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Access, Caller } from '../../auth/access.ts'
import type { LockOut } from '../../auth/lock-out.ts'
import { safeDestination } from '../../auth/destination.ts'
import type { Seal } from '../../auth/seal.ts'
import { changeSignIn, noteProof } from '../../auth/sign-in-rules.ts'
import { ssoRefused } from '../../auth/sso-refusal.ts'
import { toSamlIdpPrefs } from '../../records/saml.ts'
import { createPace } from '../../saml/pace.ts'
import { createSamlProvider, samlAddresses } from '../../saml/provider.ts'
import { formatRelayState } from '../../saml/relay-state.ts'
import type { SamlPost } from '../../saml/check-response.ts'
import { acceptResponse } from '../../saml/respond.ts'
import type { SignInOrigin } from '../../store/sessions.ts'
import { emailKey } from '../../store/users.ts'
import type { Store } from '../../store/store.ts'
import { readIdpMetadata, withProvider } from './settings.ts'

export interface SamlDeps {
  readonly store: Store
  readonly seal: Seal
  readonly access: Access
  readonly lockOut: LockOut
  /** Where others reach this service. */
  readonly siteUrl: () => string
}

/** Where a sign-in begins. */
export interface SamlBeginning {
  readonly companyName: string
  readonly destination: string | undefined
  readonly acsHandler: string | undefined
}

/** Signing in with the SAML identity provider of a company. */
export interface SamlService {
  metadata(): Promise<string>
  /** @throws ApiError `invalid_body`, `would_lock_out` */
  configure(caller: Caller, given: BodyOf<typeof setSamlProps>, audit: AuditNote): Promise<void>
  /** @throws ApiError `invalid_body` */
  readIdpMetadata(metadata: string): SamlIdpMetadata
  /** The address that the browser goes to. @throws ApiError `sso_refused`, `invalid_body`, `too_many_logins` */
  begin(given: SamlBeginning): Promise<string>
  /** The address that the browser goes to. @throws ApiError `sso_refused`, `locked_out`, `too_many_logins` */
  respond(given: SamlPost, audit: AuditNote): Promise<string>
  /** @throws ApiError `sso_refused` */
  open(code: string, origin: SignInOrigin, audit: AuditNote): Promise<Session>
  failures(caller: Caller, email: string | undefined): Promise<SignInFailure[]>
}

/** Makes the service of SAML. */
export function createSamlService(deps: SamlDeps): SamlService {
  const { store, siteUrl } = deps
  const addresses = () => samlAddresses(siteUrl())
  const pace = createPace()
  const provider = createSamlProvider(store.samlSigner, siteUrl, pace)
  return {
    metadata: () => provider.metadata(),
    async configure({ company }, given, audit) {
      await changeSignIn(store, company.id, (now) => {
        const next = withProvider(now, given, addresses().entityId)
        audit.detail(changesOf(toSamlIdpPrefs(now) ?? {}, toSamlIdpPrefs(next) ?? {}))
        return next
      })
    },
    readIdpMetadata: (metadata) => readIdpMetadata(metadata, addresses().entityId),
    async begin({ companyName, destination, acsHandler }) {
      pace.admit()
      const { app } = addresses()
      checkHandler(acsHandler, app)
      const company = await store.companies.findCompany(companyName)
      const settings = company && (await store.signInSettings.read(company.id))
      if (!company || !settings?.saml || !settings.preferences.samlEnabled)
        throw ssoRefused('settings')
      const relay = { company: company.name, app, destination: safeDestination(destination, app) }
      const { id, url } = await provider.request(settings.saml, formatRelayState(relay))
      await store.samlFlow.putRequest(id, {
        companyId: company.id,
        version: settings.saml.version,
        destination: relay.destination,
      })
      return url
    },
    async respond(given, audit) {
      // In a flood most are turned away: before anything is stored for them.
      pace.admit()
      return await deps.lockOut.guardProvider(given.address, () =>
        acceptResponse({ ...deps, addresses, pace }, given, audit),
      )
    },
    open: (code, origin, audit) => openByCode(deps, code, origin, audit),
    async failures({ company }, email) {
      const all = await store.signInFailures.list(company.id)
      const wanted = email ? emailKey(email) : undefined
      return all.filter((one) => wanted === undefined || emailKey(one.email ?? '') === wanted)
    },
  }
}

function checkHandler(handler: string | undefined, app: string): void {
  if (!handler || handler === app) return
  throw new ApiError(
    'invalid_body',
    `acsHandler cannot be "${handler.slice(0, 100)}". Allowed: ${app}.`,
    { details: { field: 'acsHandler', value: handler.slice(0, 100), allowed: app } },
  )
}

/** Everything that may have changed within the minute is looked at again. */
async function openByCode(
  { store, seal, access }: SamlDeps,
  code: string,
  origin: SignInOrigin,
  audit: AuditNote,
): Promise<Session> {
  const ticket = await store.samlFlow.takeTicket(seal.hashToken(code))
  if (!ticket) throw ssoRefused('unknown_code')
  const { email, companyId, version, certificate } = ticket
  audit.claim(email, companyId)
  audit.entered([companyId])
  const { preferences, saml } = await store.signInSettings.read(companyId)
  if (!preferences.samlEnabled || saml?.version !== version) throw ssoRefused('settings')
  const opened = await access.openSso({ email, companyId }, 'saml', origin)
  if (!opened) throw ssoRefused('no_access')
  const { session, userId, isOwner } = opened
  if (isOwner) await noteProof(store, companyId, version, { userId, certificate })
  return session
}
