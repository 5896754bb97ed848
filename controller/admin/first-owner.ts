import { randomBytes } from 'node:crypto'
import { caFingerprint, openKeyFile } from '../auth/key-file.ts'
import { createSeal } from '../auth/seal.ts'
import { createPasswords } from '../auth/password.ts'
import type { Company, Team } from '../store/companies.ts'
import type { Audit } from '../audit/audit.ts'
import { adminActor, openAdminAudit } from './audit.ts'
import { openRedis } from '../store/redis.ts'
import { openStore, type Store } from '../store/store.ts'
import { findTeamIn } from '../store/teams.ts'

export interface FirstOwnerOptions {
  readonly redisUrl: string
  readonly keyFile: string
  readonly company: string
  readonly team: string
  readonly ownerEmail: string
  /** Generated when absent and the owner does not exist yet. */
  readonly ownerPassword?: string
}

export interface FirstOwner {
  readonly company: { readonly id: string; readonly name: string }
  readonly team: { readonly id: string; readonly name: string; readonly secret: string }
  /** The password is null when the owner existed already: only its hash is kept. */
  readonly owner: { readonly email: string; readonly password: string | null }
  readonly caSha256: string
  readonly created: boolean
}

/** Finds the company, team and owner of an installation, or makes them at its first start. */
export async function ensureFirstOwner(options: FirstOwnerOptions): Promise<FirstOwner> {
  const redis = openRedis(options.redisUrl)
  redis.on('error', () => undefined)
  try {
    const keyFile = await openKeyFile(options.keyFile)
    const store = await openStore(redis, createSeal(keyFile))
    const { companies } = store
    const company =
      (await companies.findCompany(options.company)) ??
      (await companies.addCompany(options.company))
    const teams = await companies.listTeams(company.id)
    const team =
      findTeamIn(teams, options.team) ??
      // A team that was renamed is still the one that the host of the installation is in.
      teams[0] ??
      (await companies.addTeam(company, options.team))
    const password = await ensureOwner(store, company, team, options)
    if (password !== null) await recordFirstOwner(openAdminAudit(store, keyFile), company, options)
    return {
      company: { id: company.id, name: company.name },
      team: { id: team.id, name: team.name, secret: await companies.readTeamSecret(team) },
      owner: { email: options.ownerEmail, password },
      caSha256: caFingerprint(keyFile),
      created: password !== null,
    }
  } finally {
    redis.disconnect()
  }
}

async function recordFirstOwner(audit: Audit, company: Company, { ownerEmail }: FirstOwnerOptions) {
  await audit.record({
    action: 'user.create',
    actor: adminActor(),
    companyId: company.id,
    target: { kind: 'user', id: null, name: ownerEmail },
    detail: { new: ['COMPANY_OWNER'], first: true },
  })
  await audit.close()
}

/** 120 random bits, easy to type. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url')
}

async function ensureOwner(
  store: Store,
  company: Company,
  team: Team,
  options: FirstOwnerOptions,
): Promise<string | null> {
  const known = await store.users.findByEmail(options.ownerEmail)
  const password = known ? null : options.ownerPassword || generatePassword()
  const owner =
    known ??
    (await store.users.add(
      options.ownerEmail,
      await (await createPasswords()).hash(password as string),
    ))
  // Looked at each time: the first start may have been cut off between the two writes.
  if (!(await store.members.find(company.id, owner.id)))
    await store.companies.writeMembership(company.id, owner.id, {
      roles: ['COMPANY_OWNER'],
      teams: { [team.id]: ['TEAM_MANAGER'] },
    })
  return password
}
