/**
 * Every key name there is. Data of a team share the hash tag `{t:<team>}`, those of a company
 * `{c:<company>}`, so that each script touches one slot.
 */
export const keys = {
  schema: 'temblor:schema',
  /** Whoever rotates the sealing key. */
  rotationLock: 'temblor:rotation-lock',
  /** STRING what the code for the first owner follows from, besides a key. */
  setupSalt: 'temblor:setup-salt',
  /** Whoever makes the first owner. */
  setupLock: 'temblor:setup-lock',
  companyNames: 'temblor:company-names',
  teamCompanies: 'temblor:team-companies',
  /** ZSET boot id of a host that a controller runs on -> when that is forgotten, ms. */
  controllers: 'temblor:controllers',
  /** HASH since when somebody listens to hosts. */
  silence: 'temblor:silence',
  /** ZSET of the teams in which something may become due -> when that was noted last, ms. */
  busyTeams: 'temblor:busy-teams',
  /** STRING that is there while some controller has asked all teams not long ago. */
  busyTurn: 'temblor:busy-turn',
  /** ZSET of the teams whose data are still to be removed -> when the team was, ms. */
  removedTeams: 'temblor:removed-teams',
  /** What all keys of a team begin with. @throws Error for what is no id: it could mean others */
  teamPrefix(teamId: string): string {
    if (!isId(teamId)) throw new Error('That is not the id of a team.')
    return `temblor:{t:${teamId}}:`
  },
  /** Sharded channel of a controller: others say there that something waits for its agents. */
  bell: (controllerId: string) => `temblor:{ctl:${controllerId}}:bell`,
  userIds: 'temblor:user-ids',
  user: (userId: string) => `temblor:user:${userId}`,
  userCompanies: (userId: string) => `temblor:user:${userId}:companies`,
  /** ZSET of tries to sign in of a user or an address. */
  attempts: (subject: string) => `temblor:attempts:${subject}`,
  /** STRING how many requests somebody made in a minute. */
  requests: (whose: string) => `temblor:rate:${whose}`,
  /** SET of ids. */
  apiKeys: (userId: string) => `temblor:{u:${userId}}:api-keys`,
  apiKeyPrefix: (userId: string) => `temblor:{u:${userId}}:api-key:`,
  /** SET of the ids of users who ever had a key. */
  keyOwners: (companyId: string) => `temblor:{c:${companyId}}:key-owners`,
  /** HASH whose a key is, by its keyed hash. */
  apiKeyHash: (hash: string) => `temblor:api-key:${hash}`,
  /** HASH second factor of a user; `r:<keyed hash>` are the recovery codes that are left. */
  mfa: (userId: string) => `temblor:{u:${userId}}:mfa`,
  /** HASH one that no code has proved yet. */
  mfaPending: (userId: string) => `temblor:{u:${userId}}:mfa-pending`,
  mfaTicket: (hash: string) => `temblor:mfa-ticket:${hash}`,
  /** HASH of one session, from sign-in to end. */
  session: (sessionId: string) => `temblor:session:${sessionId}`,
  /** ZSET session id -> when it ends at the latest, ms. Some may have ended before. */
  userSessions: (userId: string, companyId: string) =>
    `temblor:{u:${userId}}:sessions:${companyId}`,
  /** STRING id of the session whose token this is or was. */
  sessionToken: (tokenHash: string) => `temblor:session-token:${tokenHash}`,
  renewToken: (renewHash: string) => `temblor:renew-token:${renewHash}`,
  /** HASH with what this service provider signs with. */
  samlSigner: 'temblor:saml-signer',
  /** STRING a sign-in that waits for the provider. */
  samlRequest: (idHash: string) => `temblor:saml-request:${idHash}`,
  /** STRING while a second one with this id would be a replay. */
  samlAssertion: (idHash: string) => `temblor:saml-assertion:${idHash}`,
  /** STRING whom a code lets in. */
  samlTicket: (codeHash: string) => `temblor:saml-ticket:${codeHash}`,
  /** STRING a sign-in that waits for its OAuth provider. */
  oauthRequest: (stateHash: string) => `temblor:oauth-request:${stateHash}`,
  /** STRING whom a code, or an access token that was obtained here, lets in. */
  oauthTicket: (hash: string) => `temblor:oauth-ticket:${hash}`,

  company: (companyId: string) => `temblor:{c:${companyId}}:company`,
  companyTeams: (companyId: string) => `temblor:{c:${companyId}}:teams`,
  companyInvitations: (companyId: string) => `temblor:{c:${companyId}}:invitations`,
  companyMembers: (companyId: string) => `temblor:{c:${companyId}}:members`,
  /** STRING JSON of who forbade new attacks; absent when nobody did. */
  companyAttackBlock: (companyId: string) => `temblor:{c:${companyId}}:attack-block`,
  /** HASH aliases of role claims. */
  samlAliases: (companyId: string) => `temblor:{c:${companyId}}:saml-aliases`,
  /** STRING a sign-in that only tries a provider. */
  ssoTest: (companyId: string, testId: string) => `temblor:{c:${companyId}}:sso-test:${testId}`,
  /** LIST of refused sign-ins, the newest first. */
  signInFailures: (companyId: string) => `temblor:{c:${companyId}}:saml-failures`,
  /** STRING how many refused sign-ins that prove nothing the audit was told of in this hour. */
  unprovenTold: (companyId: string | undefined) => `temblor:{${auditTag(companyId)}}:unproven-told`,
  /** STREAM of the entries of the audit; without a company that of the installation. */
  audit: (companyId: string | undefined) => `temblor:{${auditTag(companyId)}}:audit`,
  /** STRING that is there while some controller has looked after the audit not long ago. */
  auditTurn: 'temblor:audit-turn',
  /** STRING that is there while some controller has forgotten what is old not long ago. */
  retentionTurn: 'temblor:retention-turn',
  /** HASH sequence, hash and time of the newest entry. */
  auditHead: (companyId: string | undefined) => `temblor:{${auditTag(companyId)}}:audit-head`,

  /** ZSET identifier -> lease expiry, ms of Redis' clock. */
  liveHosts: (teamId: string) => `temblor:{t:${teamId}}:live`,
  /** HASH slot -> identifier of the host; what stands beside it says `lua/include/host-index.lua`. */
  hostIndex: (teamId: string) => `temblor:{t:${teamId}}:index`,
  /** SET of identifiers. */
  hosts: (teamId: string) => `temblor:{t:${teamId}}:hosts`,
  /** SET of the instances of agents that were revoked: another name does not help them. */
  revokedInstances: (teamId: string) => `temblor:{t:${teamId}}:revoked`,
  hostPrefix: (teamId: string) => `temblor:{t:${teamId}}:host:`,
  host: (teamId: string, identifier: string) => `temblor:{t:${teamId}}:host:${identifier}`,
  /** HASH execution id -> generation of the order that the host has not journalled yet. */
  outboxPrefix: (teamId: string) => `temblor:{t:${teamId}}:outbox:`,
  outbox: (teamId: string, identifier: string) => `temblor:{t:${teamId}}:outbox:${identifier}`,
  /** SET of the executions of a host that are not over. */
  openPrefix: (teamId: string) => `temblor:{t:${teamId}}:open:`,
  openExecutions: (teamId: string, identifier: string) =>
    `temblor:{t:${teamId}}:open:${identifier}`,
  /** ZSET attack id -> creation, ms. */
  attacks: (teamId: string) => `temblor:{t:${teamId}}:attacks`,
  /** STRING the same as of the company, where the script that creates attacks reads it. */
  attackBlock: (teamId: string) => `temblor:{t:${teamId}}:attack-block`,
  /** ZSET of the attacks whose slices are being written -> when that must be done, ms; 0 when they were halted. */
  unwrittenAttacks: (teamId: string) => `temblor:{t:${teamId}}:unwritten`,
  /** ZSET of the attacks that are not over. */
  activeAttacks: (teamId: string) => `temblor:{t:${teamId}}:active`,
  /** LIST of the attacks whose executions are being forgotten. */
  forgotten: (teamId: string) => `temblor:{t:${teamId}}:forgotten`,
  attackPrefix: (teamId: string) => `temblor:{t:${teamId}}:attack:`,
  attack: (teamId: string, attackId: string) => `temblor:{t:${teamId}}:attack:${attackId}`,
  /** LIST of execution ids. */
  attackExecutions: (teamId: string, attackId: string) =>
    `temblor:{t:${teamId}}:attack:${attackId}:executions`,
  executionPrefix: (teamId: string) => `temblor:{t:${teamId}}:execution:`,
  execution: (teamId: string, executionId: string) =>
    `temblor:{t:${teamId}}:execution:${executionId}`,
  /** LIST of `<ms>@<value>`: what was measured while it ran. */
  series: (teamId: string, executionId: string) =>
    `temblor:{t:${teamId}}:execution:${executionId}:series`,
  /** STREAM of the moves of executions. */
  events: (teamId: string) => `temblor:{t:${teamId}}:events`,
  /** STRING attack id and hash of the request that made it. */
  idempotency: (teamId: string, key: string) => `temblor:{t:${teamId}}:idempotency:${key}`,
  /** ZSET execution id -> when it counts as lost, ms. */
  due: (teamId: string) => `temblor:{t:${teamId}}:due`,
}

function auditTag(companyId: string | undefined): string {
  return companyId === undefined ? 'installation' : `c:${companyId}`
}

/** Ids of attacks and executions; anything else could aim at another key. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
