import type { Seal } from '../auth/seal.ts'
import { openApiKeys, type ApiKeys } from './api-keys.ts'
import { openAuthPreferences, type AuthPreferencesStore } from './auth-preferences.ts'
import { openAttempts, type Attempts } from './attempts.ts'
import { openAttackBlocks, type AttackBlocks } from './attack-blocks.ts'
import { openAttacks, type Attacks } from './attacks.ts'
import { openAuditChains, type AuditChains } from './audit.ts'
import { openBusyTeams, type BusyTeams } from './busy-teams.ts'
import { openCompanies, type Companies } from './companies.ts'
import { openCompanySettings, type CompanySettingsStore } from './company-settings.ts'
import { openControllers, type Controllers } from './controllers.ts'
import { openExecutions, type Executions } from './executions.ts'
import { openHosts, type Hosts } from './hosts.ts'
import { keys } from './keys.ts'
import type { Redis } from './redis.ts'
import { refuseOldRedis } from './redis-version.ts'
import { openInvitations, type Invitations } from './invitations.ts'
import { openMembers, type Members } from './members.ts'
import { openMfa, type Mfa } from './mfa.ts'
import { openMfaTickets, type MfaTickets } from './mfa-tickets.ts'
import { openRotationLock, type RotationLock } from './rotation-lock.ts'
import type { SealedPlace } from './sealed-place.ts'
import { openOAuthFlow, type OAuthFlow } from './oauth.ts'
import { openPasswordResets, type PasswordResets } from './password-resets.ts'
import { openRemovedTeams, type RemovedTeams } from './removed-teams.ts'
import { openRetention, type Retention } from './retention.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { openSamlAliases, type SamlAliases } from './saml-aliases.ts'
import { openSamlFlow, type SamlFlow } from './saml.ts'
import { openSamlSigner, type SamlSignerStore } from './saml-signer.ts'
import { openSignInFailures, type SignInFailures } from './sign-in-failures.ts'
import { openSetup, type SetupStore } from './setup.ts'
import { openSignInSettings, type SignInSettingsStore } from './sign-in-settings.ts'
import { openSsoTests, type SsoTests } from './sso-tests.ts'
import { openTeamClocks, type TeamClocks } from './team-clocks.ts'
import { openTeams, type Teams } from './teams.ts'
import { openUsers, type Users } from './users.ts'

/** The version of the data's shape; a controller refuses data of a newer one. */
const schemaVersion = 1

/** Everything that is kept, one store for each kind of thing. */
export interface Store {
  readonly companies: Companies
  readonly authPreferences: AuthPreferencesStore
  readonly signInSettings: SignInSettingsStore
  readonly signInFailures: SignInFailures
  readonly samlFlow: SamlFlow
  readonly samlAliases: SamlAliases
  readonly ssoTests: SsoTests
  readonly oauthFlow: OAuthFlow
  readonly samlSigner: SamlSignerStore
  readonly companySettings: CompanySettingsStore
  readonly teams: Teams
  readonly members: Members
  readonly invitations: Invitations
  readonly users: Users
  readonly passwordResets: PasswordResets
  readonly sessions: Sessions
  readonly mfa: Mfa
  readonly mfaTickets: MfaTickets
  readonly apiKeys: ApiKeys
  readonly attempts: Attempts
  readonly audit: AuditChains
  readonly busyTeams: BusyTeams
  readonly teamClocks: TeamClocks
  readonly controllers: Controllers
  readonly removedTeams: RemovedTeams
  readonly retention: Retention
  readonly hosts: Hosts
  readonly attacks: Attacks
  readonly attackBlocks: AttackBlocks
  readonly executions: Executions
  /** All that keep sealed secrets. */
  readonly sealedPlaces: readonly SealedPlace[]
  readonly rotationLock: RotationLock
  readonly setup: SetupStore
}

/**
 * Opens the stores on one connection.
 * @throws Error when the data were written by a newer version of Temblor, or Redis is too old
 */
export async function openStore(redis: Redis, seal: Seal): Promise<Store> {
  await refuseOldRedis(redis)
  await redis.setnx(keys.schema, schemaVersion)
  const found = Number(await redis.get(keys.schema))
  if (found > schemaVersion)
    throw new Error(
      `The data in Redis have schema version ${found}; this Temblor knows up to ${schemaVersion}. Use the newer Temblor.`,
    )
  const teams = openTeams(redis, seal)
  const signInSettings = openSignInSettings(redis, seal)
  const samlSigner = openSamlSigner(redis, seal)
  const mfa = openMfa(redis, seal)
  const busyTeams = openBusyTeams(redis)
  const teamClocks = openTeamClocks(redis)
  return {
    companies: openCompanies(redis, seal),
    signInSettings,
    authPreferences: openAuthPreferences(signInSettings),
    signInFailures: openSignInFailures(redis),
    samlFlow: openSamlFlow(redis),
    samlAliases: openSamlAliases(redis),
    ssoTests: openSsoTests(redis),
    oauthFlow: openOAuthFlow(redis),
    samlSigner,
    companySettings: openCompanySettings(redis),
    teams,
    members: openMembers(redis),
    invitations: openInvitations(redis),
    users: openUsers(redis),
    passwordResets: openPasswordResets(redis),
    sessions: openSessions(redis),
    mfa,
    mfaTickets: openMfaTickets(redis),
    apiKeys: openApiKeys(redis),
    attempts: openAttempts(redis),
    audit: openAuditChains(redis),
    busyTeams,
    teamClocks,
    controllers: openControllers(redis),
    removedTeams: openRemovedTeams(redis),
    retention: openRetention(redis),
    hosts: openHosts(redis, teamClocks),
    attacks: openAttacks(redis, busyTeams, teamClocks),
    attackBlocks: openAttackBlocks(redis),
    executions: openExecutions(redis),
    sealedPlaces: [teams, mfa, samlSigner, signInSettings],
    rotationLock: openRotationLock(redis),
    setup: openSetup(redis),
  }
}
