import type { Session } from '../../shared/api/sessions.ts'
import { request, type Answer } from '../support/http.ts'
import type { TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addSamlCompany, type SamlCompany } from '../support/saml-company.ts'
import { randomOf, type Random } from './random.ts'
import { encode, evil, meansTheSame, mutate } from './saml-mutations.ts'
import { untouchedEvery, type SignInFuzzOptions, type SignInFuzzReport } from './sign-in-report.ts'

/** Posts changed SAML responses to a controller: none may let in anybody but whom its provider named, as that. */
export async function fuzzSaml(
  controller: TestController,
  { seed, from, count, say = () => {} }: SignInFuzzOptions,
): Promise<SignInFuzzReport> {
  const company = await addSamlCompany(controller, 'Fuzzed')
  const before = await controller.redis.hlen('temblor:user-ids')
  const failures: { index: number; fault: string; sent: string }[] = []
  const byStatus: Record<string, number> = {}
  const counts = { untouched: 0, harmless: 0 }
  for (let index = from; index < from + count; index += 1) {
    if (index % 50 === 0) await forgetLimits(controller)
    if (index % 1_000 === 0 && index > from) say(`${index - from} responses`)
    const sent = generate(randomOf(seed, index), company, index)
    const answer = await post(controller, sent)
    byStatus[answer.status] = (byStatus[answer.status] ?? 0) + 1
    const fault = await faultOf(company, sent, answer)
    if (fault !== undefined) failures.push({ index, fault, sent: changeIn(sent) })
    if (answer.status === 303) counts[sent.isTouched ? 'harmless' : 'untouched'] += 1
  }
  return {
    failures,
    damage: await damageTo(controller, company, before, counts),
    byStatus,
    ...counts,
  }
}

interface Sent {
  readonly email: string
  readonly original: string
  readonly xml: string
  readonly form: { readonly SAMLResponse: string; readonly RelayState: string }
  readonly isTouched: boolean
  /** Whether one signature is of all of it, so that nothing may be changed; of two, one may be taken away. */
  readonly isWholeSigned: boolean
}

/** What was sent, from where it first differs. */
function changeIn({ original, xml }: Sent): string {
  const at = xml.split('').findIndex((char, index) => char !== original[index])
  const start = Math.max(0, at - 60)
  return `${original.slice(start, at + 200)}\n became ${xml.slice(start, at + 200)}\n all of it: ${xml}`
}

function generate(random: Random, company: SamlCompany, index: number): Sent {
  const email = `person-${index}@example.com`
  const what = random.pick(['assertion', 'response', 'both'] as const)
  const attributes = [['company:roles', 'COMPANY_USER']] as const
  const original = company.build({ email, attributes }, { what })
  const relay = `${company.company.name}|||${company.app}|||/attacks`
  const isTouched = index % untouchedEvery !== 0
  const xml = isTouched ? mutate(random, original, email) : original
  const form = {
    SAMLResponse: isTouched ? encode(random, xml) : Buffer.from(xml).toString('base64'),
    RelayState: isTouched && random.chance(0.2) ? mutate(random, `${relay}<a>`, email) : relay,
  }
  return { email, original, xml, form, isTouched, isWholeSigned: what === 'response' }
}

function post({ baseUrl }: TestController, { form }: Sent): Promise<Answer> {
  return request(baseUrl, 'POST', '/v1/users/auth/saml/acs', { form })
}

async function faultOf(
  company: SamlCompany,
  sent: Sent,
  answer: Answer,
): Promise<string | undefined> {
  if (answer.status === 303) return await faultOfLogin(company, sent, answer)
  if (!sent.isTouched) return `an untouched response: ${answer.status} ${answer.text}`
  if (answer.status !== 400 && answer.status !== 401) return `${answer.status} ${answer.text}`
  try {
    problem(answer)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

async function faultOfLogin(company: SamlCompany, sent: Sent, answer: Answer) {
  const location = answer.headers.get('location') ?? ''
  if (!location.startsWith(`${company.app}?`)) return `led to ${location}`
  if (sent.isTouched && sent.isWholeSigned && !meansTheSame(sent.xml, sent.original))
    return 'let in by what was not signed'
  const opened = await company.exchange(answer)
  if (opened.status !== 200) return `no session: ${opened.text}`
  const { identifier, company_id: id, roles } = opened.json as Session
  const isRight =
    identifier === sent.email && id === company.company.id && roles?.join() === 'COMPANY_USER'
  return isRight ? undefined : `a session of ${identifier}, ${String(roles)} in ${id}`
}

async function damageTo(
  { redis, store }: TestController,
  { company }: SamlCompany,
  before: number,
  { untouched, harmless }: { untouched: number; harmless: number },
): Promise<string[]> {
  const damage: string[] = []
  const users = (await redis.hlen('temblor:user-ids')) - before
  if (users !== untouched + harmless) damage.push(`${users} users of ${untouched + harmless}`)
  if (await store.users.findByEmail(evil.email)) damage.push(`There is a user ${evil.email}.`)
  const owners = (await store.members.list(company.id)).filter(({ roles }) =>
    roles.includes(evil.role),
  )
  if (owners.length !== 1) damage.push(`${owners.length} owners, one expected`)
  return damage
}

/** This is about what is let in; how often one address may try is tested elsewhere. */
async function forgetLimits({ redis }: TestController): Promise<void> {
  const names = await redis.keys('temblor:rate:*')
  names.push(...(await redis.keys('temblor:attempts:*')))
  if (names.length > 0) await redis.del(...names)
}
