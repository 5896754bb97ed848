import { createHash, createPublicKey, verify } from 'node:crypto'
import { Agent } from 'node:http'
import { decodeResponse, parseXml } from '../../controller/saml/xml.ts'
import { readForm } from '../../controller/saml/structure.ts'
import { verifySignatures } from '../../controller/saml/signature.ts'
import { setSamlProps } from '../../shared/api/saml.ts'
import { readSelf } from '../../shared/api/sessions.ts'
import { readSsoSetup } from '../../shared/api/sso.ts'
import { buildResponse, makeKey, type SignOptions, type SigningKey } from '../support/saml-idp.ts'
import { decimal, goal, ratio, spreadOf } from './figures.ts'
import type { BenchContext, Group, Table } from './group.ts'
import { atPace, send, timeReads } from './logins.ts'
import { foreignCell, watchForeignCpu } from './machine.ts'
import type { Rig } from './rig.ts'

/** Responses that are begun in a second, whatever becomes of those before. */
const responsesPerSecond = 90
/** The event loop must come round within this in a flood, beside the worst without one. */
const sameWithinMs = 50

interface Kind {
  readonly name: string
  readonly xml: string
  readonly certificates: readonly string[]
  readonly isStrange: boolean
}

/** What a SAML response costs, beside the least that it could, and the API while responses flood in. */
export const measureSaml: Group = async (context) => {
  const [key, strange] = [await makeKey(), await makeKey()]
  const kinds = kindsOf(key, strange)
  return [costOf(kinds, key, context.isQuick ? 20 : 100), await measureFlood(context, key, kinds)]
}

function kindsOf(key: SigningKey, strange: SigningKey): Kind[] {
  const own = [key.certificate]
  const five = Array.from({ length: 5 }, () => key.certificate)
  return [
    kindOf('usual, assertion signed', buildBy(key, 'assertion', 5), own),
    kindOf('usual, both signed', buildBy(key, 'both', 5), own),
    kindOf('90 KiB, both signed', buildBy(key, 'both', 190), own),
    kindOf('usual, by a stranger', buildBy(strange, 'assertion', 5), own, true),
    kindOf('90 KiB, by a stranger, 5 certificates', buildBy(strange, 'both', 190), five, true),
    kindOf('90 KiB of nothing signed', buildBy(strange, 'none', 190), own, true),
  ]
}

function kindOf(
  name: string,
  xml: string,
  certificates: readonly string[],
  isStrange = false,
): Kind {
  return { name, xml, certificates, isStrange }
}

function buildBy(
  signer: SigningKey,
  what: NonNullable<SignOptions['what']>,
  attributeCount: number,
): string {
  const attributes = Array.from(
    { length: attributeCount },
    (_, n) => [`x${n}`, 'y'.repeat(200)] as const,
  )
  const given = { issuer: 'https://idp.example', acs: 'http://a', audience: 'http://b' }
  const email = 'somebody@bench.local'
  return buildResponse(signer, { ...given, email, attributes }, { what })
}

/** CPU of reading and verifying one response, in this process; claims and storage come on top. */
function costOf(kinds: readonly Kind[], key: SigningKey, rounds: number): Table {
  const foreign = watchForeignCpu()
  const rows = kinds.map(({ name, xml, certificates }) => {
    const base64 = Buffer.from(xml).toString('base64')
    const ours = medianCpuMs(rounds, () => accept(base64, certificates))
    const floor = medianCpuMs(rounds, () => least(xml, key))
    return [
      name,
      decimal(xml.length / 1024),
      decimal(ours, 2),
      decimal(floor, 2),
      ratio(ours, floor),
    ]
  })
  return {
    title: 'SAML: reading and verifying one response',
    rows: [['RESPONSE', 'KIB', 'CPU MS', 'FLOOR', 'RATIO'], ...rows],
    notes: [
      'Floor: SHA-256 of the same bytes and one RSA verification by node:crypto.',
      `Foreign cores: ${foreignCell(foreign())}.`,
    ],
    missing: [],
  }
}

function accept(base64: string, certificates: readonly string[]): void {
  try {
    const text = decodeResponse(base64)
    verifySignatures(text, readForm(parseXml(text)), certificates)
  } catch {
    // Refused: that costs what it costs.
  }
}

const nothing = Buffer.alloc(256)

function least(xml: string, { certificate }: SigningKey): void {
  createHash('sha256').update(xml).digest()
  verify('sha256', nothing, createPublicKey(certificate), nothing)
}

function medianCpuMs(rounds: number, work: () => void): number {
  work()
  const times = Array.from({ length: rounds }, () => {
    const since = process.cpuUsage()
    // Several at once: the clock of the CPU is coarse.
    for (let time = 0; time < 5; time += 1) work()
    const { user, system } = process.cpuUsage(since)
    return (user + system) / 5_000
  })
  return spreadOf(times).p50
}

async function measureFlood(
  context: BenchContext,
  key: SigningKey,
  kinds: readonly Kind[],
): Promise<Table> {
  const rig = await context.rig()
  const seconds = context.isQuick ? 6 : 20
  const relay = await setProvider(rig, key)
  const authorizations = await rig.openSessions(60)
  await timeReads(rig, authorizations, 2)
  const rows = [['', 'READ P50 MS', 'P95', 'P99', 'MAX', 'FOREIGN CORES']]
  const worst: number[] = []
  const answers: string[] = []
  for (const [name, xml] of [
    ['without', undefined],
    ...kinds.filter(({ isStrange }) => isStrange).map((kind) => [kind.name, kind.xml] as const),
    ['without again', undefined],
  ] as const) {
    context.signal.throwIfAborted()
    context.say(`  ${name}`)
    const foreign = watchForeignCpu()
    const flood = xml === undefined ? undefined : startFlood(rig.stack.baseUrl, xml, relay)
    const { p50, p95, p99, max } = spreadOf(await timeReads(rig, authorizations, seconds))
    const statuses = await flood?.stop()
    if (statuses) answers.push(`${name}: ${statuses}`)
    worst.push(max)
    rows.push([name, ...[p50, p95, p99, max].map((one) => decimal(one)), foreignCell(foreign())])
  }
  const calm = Math.max(worst.at(0) ?? 0, worst.at(-1) ?? 0)
  const isMet = Math.max(...worst.slice(1, -1)) <= calm + sameWithinMs
  rows.push(['goal', '', '', '', goal(`within ${sameWithinMs} ms`, isMet), ''])
  return {
    title: `SAML: ${responsesPerSecond} hostile responses a second, each from another address (${seconds} s each)`,
    rows,
    notes: [...answers, '503 is what is beyond the queue; 401 was read and refused.'],
    missing: [],
  }
}

/** Gives the company of the rig this provider; gives a RelayState that names it. */
async function setProvider({ api }: Rig, key: SigningKey): Promise<string> {
  const { company_id: companyId } = await api.call(readSelf)
  await api.call(setSamlProps, {
    params: { companyId },
    body: {
      enabled: true,
      entityId: 'https://idp.example',
      idpUrl: 'https://idp.example/sso',
      certificate: key.certificate,
      idpInitiated: true,
    },
  })
  return (await api.call(readSsoSetup, { params: { companyId } })).saml.relayState
}

/** Begins posts at an even pace until it is stopped; tells how often each status was answered. */
function startFlood(baseUrl: string, xml: string, relay: string) {
  const agent = new Agent({ keepAlive: true })
  const statuses = new Map<number, number>()
  const ended = new AbortController()
  const url = `${baseUrl}/users/auth/saml/acs`
  const form = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relay }
  const body = new URLSearchParams(form).toString()
  const flood = atPace(
    responsesPerSecond,
    Number.POSITIVE_INFINITY,
    async (turn) => {
      // Each from an address of its own: the limits for one address are no part of this.
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `10.${turn >> 16}.${(turn >> 8) & 255}.${turn & 255}`,
      }
      const status = await send({ url, agent, method: 'POST', headers, body })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },
    () => ended.signal.aborted,
  )
  return {
    async stop() {
      ended.abort()
      await flood
      agent.destroy()
      return [...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')
    },
  }
}
