import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKeyFile, type SealingKey } from '../../controller/auth/key-file.ts'
import { createSeal } from '../../controller/auth/seal.ts'
import { oauthSecretName } from '../../controller/store/sign-in-settings.ts'
import { openStore } from '../../controller/store/store.ts'
import type { Team } from '../../controller/store/teams.ts'
import { newSeed } from '../../controller/auth/totp.ts'
import { recoveryCodesIn, type MfaSecret } from '../../shared/api/mfa.ts'
import type { Api } from '../support/api.ts'
import { startNode, temblor, temblorJson } from '../support/command.ts'
import { request } from '../support/http.ts'
import { codeOf, giveSecondFactor } from '../support/mfa.ts'
import { everythingIn } from '../support/redis.ts'
import {
  newEmail,
  personsPassword as password,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { until } from '../support/until.ts'

const teamsOfEach = 120
let controller: TestController
let owner: Api
/** Every team with its secret. */
const secrets = new Map<Team, string>()
/** Users with the seed of their second factor; of the first one, codes that still sign in. */
const seeds = new Map<string, string>()
const enrolled = { email: newEmail('enrolled'), recovery: [] as string[] }
const provider = { companyId: '', secret: 'shared with a provider' }
const pending = { userId: '', seed: newSeed() }

beforeAll(async () => {
  controller = await startTestController()
  for (const name of ['One', 'Two', 'Three']) {
    const company = await controller.store.companies.addCompany(name)
    for (let n = 0; n < teamsOfEach; n += 1) {
      const { secret, ...team } = await controller.store.companies.addTeam(company, `Team ${n}`)
      secrets.set(team, secret)
    }
    if (name === 'One') await addSecondFactors(company.id)
    if (name === 'One')
      owner = await controller.join(company, {
        email: newEmail('owner'),
        roles: ['COMPANY_OWNER'],
      })
    if (name === 'One') await setProvider(company.id)
  }
})
afterAll(() => controller?.[Symbol.asyncDispose]())

async function addSecondFactors(companyId: string): Promise<void> {
  const { email } = enrolled
  await controller.add(companyId, { email })
  const { secretKey } = (await mfa('enable', { email, password })).json as MfaSecret
  const validated = await mfa('validate', { email, token: codeOf(secretKey) })
  enrolled.recovery = recoveryCodesIn(validated.text)
  for (let n = 0; n < 40; n += 1) {
    const userId = await controller.add(companyId, { email: newEmail('user') })
    seeds.set(userId, await giveSecondFactor(controller.store, userId))
  }
  pending.userId = await controller.add(companyId, { email: newEmail('pending') })
  await controller.store.mfa.propose(pending.userId, pending.seed, 0)
}

/** An identity provider with a secret. */
async function setProvider(companyId: string): Promise<void> {
  const idp = 'https://idp.example'
  const addresses = { authorizationUri: idp, tokenUri: idp, userInfoUri: idp }
  const json = { ...addresses, clientId: 'temblor', clientSecret: provider.secret }
  const answer = await owner.send('POST', `/companies/${companyId}/oauth/settings`, { json })
  expect(answer.status).toBe(200)
  provider.companyId = companyId
}

const mfa = (path: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth/mfa/${path}`, { form })

const keyFilePath = () => join(controller.environment['TEMBLOR_DATA_DIR'] ?? '', 'keys.json')
const keysNow = () =>
  (JSON.parse(readFileSync(keyFilePath(), 'utf8')) as { sealingKeys: SealingKey[] }).sealingKeys
const idOf = (state: SealingKey['state']) => keysNow().find((one) => one.state === state)?.id

/** How many teams have a secret that this key sealed. */
async function sealedWith(id: string | undefined): Promise<number> {
  const companies = new Set([...secrets.keys()].map(({ companyId }) => companyId))
  const records = await Promise.all(
    [...companies].map((one) => controller.redis.hvals(`temblor:{c:${one}}:teams`)),
  )
  return records.flat().filter((text) => text.includes(`"v1.${id}.`)).length
}

/** All that was sealed opens for who has run all the time, and what is sealed now opens as well. */
async function checkEverything(): Promise<void> {
  for (const [team, secret] of secrets)
    expect(await controller.store.teams.readSecret(team)).toBe(secret)
  for (const [userId, seed] of seeds)
    expect((await controller.store.mfa.find(userId))?.seed).toBe(seed)
  expect((await controller.store.mfa.findPending(pending.userId))?.seed).toBe(pending.seed)
  const { oauth } = await controller.store.signInSettings.read(provider.companyId)
  const seal = createSeal(await openKeyFile(keyFilePath()))
  const name = oauthSecretName(provider.companyId)
  expect(seal.open(oauth?.clientSecretSealed ?? '', name)).toBe(provider.secret)
  const token = enrolled.recovery.pop() ?? ''
  expect((await mfa('auth', { email: enrolled.email, password, token })).status).toBe(200)
  const [team] = [...secrets.keys()] as [Team]
  const answer = await owner.send('POST', `/teams/${team.id}/secret/reset`)
  expect(answer.status).toBe(200)
  const { secret } = answer.json as { secret: string }
  secrets.set(team, secret)
  expect(await controller.store.teams.readSecret(team)).toBe(secret)
}

/** Starts a rotation and kills it as soon as this is true. */
async function killedWhen(what: string, isTime: () => Promise<boolean> | boolean): Promise<void> {
  const rotation = startNode(
    ['agent/cli/bin.js', 'admin', 'sealing-key', 'rotate'],
    controller.environment,
  )
  await until(`${what}: ${rotation.output()}`, isTime, 30_000, 1)
  const { signal } = await rotation.stop('SIGKILL')
  expect({ what, signal }).toEqual({ what, signal: 'SIGKILL' })
}

test('a rotation that is killed anywhere loses nothing, and the next one finishes it', async () => {
  const first = idOf('current')
  await killedWhen('the new key is there', () => keysNow().length > 1)
  await checkEverything()
  // It may have come into use, or even further, before the process was gone.
  const next = keysNow().find(({ id }) => id !== first)?.id
  await killedWhen('the new key is in use', () => idOf('current') === next)
  await checkEverything()
  const all = secrets.size
  await killedWhen('some are sealed anew', async () => (await sealedWith(next)) > 20)
  expect((await sealedWith(first)) + (await sealedWith(next))).toBe(all)
  await checkEverything()
  await killedWhen('all are sealed anew', async () => (await sealedWith(next)) === all)
  expect(idOf('old')).toBe(first)
  await checkEverything()

  const result = await temblorJson(['admin', 'sealing-key', 'rotate'], controller.environment)
  expect(result).toEqual({ [next ?? '']: 'current' })
  expect(await sealedWith(next)).toBe(all)
  await checkEverything()
  const stranger = createSeal(await openKeyFile(keyFilePath()))
  const store = await openStore(controller.redis, stranger)
  for (const [team, secret] of secrets) expect(await store.teams.readSecret(team)).toBe(secret)
  for (const [userId, seed] of seeds) expect((await store.mfa.find(userId))?.seed).toBe(seed)
  expect((await everythingIn(controller.redis)).join('\n')).not.toContain(`v1.${first}.`)
  // Tokens are hashed with another key, so sessions go on.
  expect((await owner.send('GET', '/users/self')).status).toBe(200)
})

test('two at once do one after the other; in steps, each is taken alone', async () => {
  const before = idOf('current')
  const both = await Promise.all(
    [1, 2].map(() => temblor(['admin', 'sealing-key', 'rotate'], controller.environment)),
  )
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(keysNow()).toHaveLength(1)
  expect(idOf('current')).not.toBe(before)
  await checkEverything()

  const step = () => temblor(['admin', 'sealing-key', 'rotate', '--step'], controller.environment)
  const current = idOf('current')
  expect((await step()).code).toBe(0)
  expect([idOf('current'), keysNow().length]).toEqual([current, 2])
  expect((await step()).code).toBe(0)
  expect(idOf('old')).toBe(current)
  const shown = await temblorJson(['admin', 'sealing-key', 'status'], controller.environment)
  expect(shown).toEqual({ [current ?? '']: 'old', [idOf('current') ?? '']: 'current' })
  expect((await step()).code).toBe(0)
  expect(keysNow().map(({ state }) => state)).toEqual(['current'])
  await checkEverything()
})
