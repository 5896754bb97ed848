import { request, type Answer } from '../support/http.ts'
import type { TestController } from '../support/in-process.ts'
import { addOAuthCompany, type OAuthCompany } from '../support/oauth-company.ts'
import { startPlainProvider, type PlainProvider } from '../support/plain-oauth.ts'
import { problem } from '../support/problem.ts'
import { randomOf, type Random } from './random.ts'
import { untouchedEvery, type SignInFuzzOptions, type SignInFuzzReport } from './sign-in-report.ts'

/** Comes back to the callback with changed addresses and cookies: nobody may come in by one that says something else. */
export async function fuzzOAuth(
  controller: TestController,
  { seed, from, count, say = () => {} }: SignInFuzzOptions,
): Promise<SignInFuzzReport> {
  await using provider = await startPlainProvider()
  const company = await addOAuthCompany(controller, 'Fuzzed', provider.addresses)
  const failures: { index: number; fault: string; sent: string }[] = []
  const byStatus: Record<string, number> = {}
  const counts = { untouched: 0, harmless: 0 }
  const others: Callback[] = []
  const users = await controller.redis.hlen('temblor:user-ids')
  for (let index = from; index < from + count; index += 1) {
    if (index % 50 === 0) await forgetLimits(controller)
    if (index % 1_000 === 0 && index > from) say(`${index - from} callbacks`)
    const sent = await generate(randomOf(seed, index), index, { company, provider, others })
    const answer = await request(controller.baseUrl, 'GET', sent.path, { headers: sent.headers })
    byStatus[answer.status] = (byStatus[answer.status] ?? 0) + 1
    const fault = faultOf(sent, answer)
    if (fault !== undefined) failures.push({ index, fault, sent: `${sent.path}\n${sent.cookie}` })
    if (answer.status === 200) counts[sent.isTouched ? 'harmless' : 'untouched'] += 1
    await forgetTickets(controller)
  }
  const damage =
    (await controller.redis.hlen('temblor:user-ids')) === users ? [] : ['There are other users.']
  return { failures, damage, byStatus, ...counts }
}

interface Sent {
  readonly path: string
  readonly cookie: string
  readonly headers: Record<string, string>
  readonly isTouched: boolean
  /** It says the same as the provider did in some sign-in, to the browser that it was said to. */
  readonly isSame: boolean
}

interface Callback {
  readonly query: string
  readonly cookie: string
}

interface Rig {
  readonly company: OAuthCompany
  readonly provider: PlainProvider
  /** Of other sign-ins, some of which wait. */
  readonly others: Callback[]
}

async function generate(random: Random, index: number, rig: Rig): Promise<Sent> {
  const { company, provider, others } = rig
  provider.userInfo = { email: `person-${index}@example.com` }
  const { begun, back } = await company.sent('')
  const original = { query: back.search.slice(1), cookie: `oauth_state=${begun.state}` }
  const isTouched = index % untouchedEvery !== 0
  const texts = others.flatMap((other) => [other.query, other.cookie])
  let { query, cookie } = original
  if (isTouched) {
    const times = random.int(1, 3)
    for (let time = 0; time < times; time += 1)
      if (random.chance(0.7)) query = mutate(random, query, texts)
      else cookie = mutate(random, cookie, texts)
  }
  others.push(original)
  others.splice(0, Math.max(0, others.length - 20))
  const path = `/v1/oauth/callback?${escaped(query)}`
  const header = escaped(cookie, ' ')
  return {
    path,
    cookie: header,
    headers: { cookie: header },
    isTouched,
    isSame: others.some((other) => isSame(path, header, other)),
  }
}

/** What is no character of an address, as bytes. */
function escaped(text: string, besides = ''): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      const isPlain = (byte > 0x20 && byte < 0x7f && char !== '#') || besides.includes(char)
      return isPlain ? char : `%${byte.toString(16).padStart(2, '0')}`
    })
    .join('')
}

function isSame(path: string, cookie: string, original: Callback): boolean {
  const [now, then] = [
    new URLSearchParams(path.slice(path.indexOf('?') + 1)),
    new URLSearchParams(original.query),
  ]
  const states = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith('oauth_state='))
  return (
    ['code', 'state'].every(
      (name) => now.getAll(name).join('\n') === then.getAll(name).join('\n'),
    ) &&
    !now.has('error') &&
    states.length === 1 &&
    states[0]?.replaceAll('"', '') === original.cookie
  )
}

const inserted = [
  '&code=x',
  '&state=x',
  '&error=access_denied',
  '&iss=https://evil.example',
  '&response=x.y.z',
  '&id_token=x',
  '&code[]=x',
  '&__proto__=x',
  '; oauth_state=x',
  'oauth_state=',
  '%00',
  '%0d%0a',
  '%zz',
  '%ff',
  '%E2%80%8B',
  '+',
  '&',
  '=',
  '"',
  ';',
  '\u{1F600}',
  'ä',
]

type Mutation = (random: Random, text: string, others: readonly string[]) => string

const mutations: readonly Mutation[] = [
  (random, text) => at(random, text, 0, random.pick(inserted)),
  (random, text) => at(random, text, random.int(1, 6), ''),
  (random, text) => at(random, text, 1, String.fromCharCode(random.int(33, 126))),
  (random, text) => text + random.pick(inserted),
  (_, text) => text.split('&').toReversed().join('&'),
  (_, text) => text.toUpperCase(),
  (_, text) => `${text}&${text}`,
  (random, text) => text.slice(0, random.int(0, text.length)),
  (random, text) => text + 'x'.repeat(random.pick([100, 4_000, 9_000])),
  (_, text) => text.replace('state=', 'State='),
  (_, text) => text.replace(/code=[^&]*/, 'code='),
  (random, text, others) => (others.length > 0 ? random.pick(others) : ''),
  (random, text, others) => {
    const other = others.length > 0 ? random.pick(others) : 'state=x'
    const [, value = 'x'] = /state=([^&]+)/.exec(other) ?? []
    return text.replace(/state=[^&;]+/, `state=${value}`)
  },
]

function mutate(random: Random, text: string, others: readonly string[]): string {
  return random.pick(mutations)(random, text, others)
}

function at(random: Random, text: string, taken: number, put: string): string {
  const start = random.int(0, text.length)
  return text.slice(0, start) + put + text.slice(start + taken)
}

function faultOf(sent: Sent, answer: Answer): string | undefined {
  if (answer.status === 200)
    return sent.isSame ? undefined : `let in although it says something else: ${answer.text}`
  if (!sent.isTouched) return `an untouched callback: ${answer.status} ${answer.text}`
  if (![400, 401, 404, 431].includes(answer.status)) return `${answer.status} ${answer.text}`
  try {
    problem(answer)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** What came back may be a sign-in of before, which is nobody's fault. */
async function forgetTickets({ redis }: TestController): Promise<void> {
  const names = await redis.keys('temblor:oauth-ticket:*')
  if (names.length > 0) await redis.del(...names)
}

/** This is about what is let in; how often one address may try is tested elsewhere. */
async function forgetLimits({ redis }: TestController): Promise<void> {
  const names = await redis.keys('temblor:rate:*')
  names.push(...(await redis.keys('temblor:attempts:*')))
  if (names.length > 0) await redis.del(...names)
}
