import { randomUUID } from 'node:crypto'
import { ensureFirstOwner } from '../../../controller/admin/first-owner.ts'
import { openKeyFile } from '../../../controller/auth/key-file.ts'
import { createSeal } from '../../../controller/auth/seal.ts'
import { freshTokens, hashesOf } from '../../../controller/auth/tokens.ts'
import { openRedis } from '../../../controller/store/redis.ts'
import { openSessions } from '../../../controller/store/sessions.ts'
import { openStore } from '../../../controller/store/store.ts'
import { formatJoinLine } from '../../../shared/join-line.ts'

/** A team with enough sessions that the limit of requests is not in the way. */
export interface TestTeam {
  readonly name: string
  readonly headers: readonly string[]
  /** The join line by which its hosts come in through this address. */
  joinAt(address: string): string
}

const sessionsPerTeam = 8
const sessionMs = 12 * 3_600_000

/** Makes a company with these teams, and an owner who works in all of them. */
export async function makeTeams(
  redisUrl: string,
  keyFile: string,
  names: readonly [string, ...string[]],
): Promise<TestTeam[]> {
  const ownerEmail = 'owner@chaos.test'
  const first = await ensureFirstOwner({
    redisUrl,
    keyFile,
    company: 'Chaos',
    team: names[0],
    ownerEmail,
  })
  const redis = openRedis(redisUrl)
  redis.on('error', () => undefined)
  try {
    const seal = createSeal(await openKeyFile(keyFile))
    const store = await openStore(redis, seal)
    const company = await store.companies.findCompany('Chaos')
    const owner = await store.users.findByEmail(ownerEmail)
    if (!company || !owner) throw new Error('The company was not made.')
    const others = await Promise.all(
      names.slice(1).map((name) => store.companies.addTeam(company, name)),
    )
    const teams = [{ ...first.team }, ...others]
    await store.companies.writeMembership(company.id, owner.id, {
      roles: ['COMPANY_OWNER'],
      teams: Object.fromEntries(teams.map(({ id }) => [id, ['TEAM_MANAGER'] as const])),
    })
    const sessions = openSessions(redis)
    const expiresMs = Date.now() + sessionMs
    return await Promise.all(
      teams.map(async ({ id, secret }, index) => {
        const tokens = Array.from({ length: sessionsPerTeam }, () => randomUUID())
        for (const token of tokens)
          await sessions.open(
            {
              userId: owner.id,
              email: ownerEmail,
              companyId: company.id,
              teamId: id,
              endsMs: expiresMs,
              epoch: 0,
              amr: 'password',
              hasSecondFactor: false,
            },
            { ...hashesOf(seal, { ...freshTokens(), token }), expiresMs },
          )
        return {
          name: names[index] as string,
          headers: tokens.map((token) => `Bearer ${token}`),
          joinAt: (address: string) =>
            formatJoinLine({
              address,
              teamId: id,
              secret,
              caSha256: first.caSha256,
            }),
        }
      }),
    )
  } finally {
    redis.disconnect()
  }
}
