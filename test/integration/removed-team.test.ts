import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseTeams } from '../../controller/jobs/retention.ts'
import type { Company, Team } from '../../controller/store/companies.ts'
import { keys } from '../../controller/store/keys.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { everythingIn, namesIn } from '../support/redis.ts'
import { joinStreamAgent, type StreamAgent } from '../support/stream-agent.ts'
import { targetingRig } from '../support/targeting-rig.ts'

const never = new AbortController().signal

let controller: TestController
let company: Company
let manager: Api
beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  const roles = ['COMPANY_MANAGER'] as const
  manager = await controller.join(company, { email: newEmail('manager'), roles })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const namesOf = async ({ id }: Team) => await namesIn(controller.redis, keys.teamPrefix(id) + '*')

/** A team with hosts, an agent that has a session, and an attack of each kind of target; some keys of each sort. */
async function busyTeam(name: string): Promise<{ team: Team; agent: StreamAgent }> {
  const team = await controller.store.companies.addTeam(company, name)
  const rig = targetingRig(controller.redis, team.id)
  await Promise.all(
    Array.from({ length: 300 }, (_, i) => rig.claim(`h${i}`, { all: 'yes', own: String(i) })),
  )
  await rig.create({ tags: { own: '1' } }, { key: 'again', bodyHash: 'x' })
  const execution = (await rig.created({ exact: 20 }))[0]
  await controller.redis.rpush(keys.series(team.id, String(execution?.id)), '1@1')
  const api = await controller.join(company, {
    email: newEmail('user'),
    teams: { [team.id]: ['TEAM_MANAGER'] },
  })
  const agent = await joinStreamAgent(`agent of ${name}`, await controller.joinLine(team))
  const session = agent.open()
  await session.hear(({ welcome }) => welcome)
  await api.attack({
    ...cpuAttack('-l 60 -p 1'),
    target: { type: 'Exact', exact: [agent.identifier] },
  })
  return { team, agent }
}

/** How an agent is answered when it says Hello. */
async function answerTo(agent: StreamAgent): Promise<string> {
  await using session = agent.open()
  const { message } = await session.hear(({ welcome, refusal }) => welcome ?? refusal)
  return message.refusal ? `${message.refusal.code} ${message.refusal.final}` : 'welcome'
}

/** How often such a command was given. */
async function countOf(command: string): Promise<number> {
  const found = await controller.redis.info('commandstats')
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(found)?.[1])
}

/** Not what comes and goes by itself. */
const isKept = (name: string) => !/^temblor:rate:|^\{bull\}|-turn$/.test(name)

test('of a removed team nothing is left but the audit, and nothing of another one is touched', async () => {
  const { redis, store } = controller
  const gone = await busyTeam('Gone')
  const twin = await busyTeam('Twin')
  const before = { all: await namesIn(redis), twin: (await namesOf(twin.team)).toSorted() }
  expect((await namesOf(gone.team)).length).toBeGreaterThan(600)
  expect((await manager.send('DELETE', `/teams/${gone.team.id}`)).status).toBe(200)
  // Whatever was under way in it may still end.
  expect(await eraseTeams(store, never)).toBe(0)

  // Stopped in the middle; the next one takes it up.
  let steps = 0
  const stop = () => ((steps += 1) === 2 ? Promise.reject(new Error('stopped')) : Promise.resolve())
  await expect(store.removedTeams.erase(gone.team.id, stop)).rejects.toThrow('stopped')
  expect((await namesOf(gone.team)).length).toBeGreaterThan(0)
  await redis.config('RESETSTAT')
  const removed = await eraseTeams(store, never, 0)
  expect(removed).toBeGreaterThan(0)
  // In steps, between which Redis serves everybody else. How long one takes says more of the machine.
  expect(removed / (await countOf('unlink'))).toBeLessThan(1_000)
  expect(before.all.length / (await countOf('scan'))).toBeLessThan(1_000)
  expect(await namesOf(gone.team)).toEqual([])

  // What comes late is found the next time; then the team is listed no more.
  await redis.set(`${keys.teamPrefix(gone.team.id)}late`, '1')
  expect(await eraseTeams(store, never, 0)).toBe(1)
  expect(await eraseTeams(store, never, 0)).toBe(0)
  expect(await store.removedTeams.list(0)).toEqual([])
  const after = await namesIn(redis)
  const missing = before.all.filter((name) => !after.includes(name))
  const ofGone = keys.teamPrefix(gone.team.id)
  expect(missing.filter((name) => !name.startsWith(ofGone)).filter(isKept)).toEqual([])
  expect((await namesOf(twin.team)).toSorted()).toEqual(before.twin)
  const left = (await everythingIn(redis)).filter((text) => text.includes(gone.team.id))
  expect(left.length).toBeGreaterThan(0)
  // The audit, and the session of somebody who was in the team, which is let in nowhere and expires.
  expect(left.filter((text) => !/team\.delete|endsMs/.test(text))).toEqual([])

  expect([await answerTo(gone.agent), await answerTo(twin.agent)]).toEqual([
    'unknown_team true',
    'welcome',
  ])
})
