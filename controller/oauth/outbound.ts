import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { isLocal } from '../auth/provider-settings.ts'
import { SsoRefusal } from '../auth/sso-refusal.ts'

/** What is sent to a provider. */
export interface OutboundRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks a provider. Redirects are not followed, and the answer has an end.
 * @throws SsoRefusal `provider` for an address that may not be asked, or too long an answer
 */
export type Outbound = (url: string, request: OutboundRequest) => Promise<Response>

/** Discovery documents and key sets have a tenth of it. */
const answerLimitBytes = 256 * 1024

/** Nobody's identity provider; where machines in clouds are told their secrets is among them. */
const never = new BlockList()
never.addSubnet('0.0.0.0', 8)
never.addSubnet('169.254.0.0', 16)
never.addSubnet('224.0.0.0', 3)
never.addAddress('100.100.100.200')
never.addAddress('::', 'ipv6')
never.addSubnet('fe80::', 10, 'ipv6')
never.addSubnet('ff00::', 8, 'ipv6')
never.addAddress('fd00:ec2::254', 'ipv6')
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Makes the way to providers. `mayBeLocal`: whether they may be on this machine, and speak HTTP there. */
export function createOutbound(mayBeLocal: () => boolean): Outbound {
  return async (text, { method, headers, body, signal }) => {
    const url = new URL(text)
    const local = mayBeLocal()
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && isLocal(url.hostname)))
      throw new SsoRefusal('provider', `${url.origin} is not asked: it is no https address.`)
    const check = (address: string) => checkAddress(url, address, local)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host)) check(host)
    const options: RequestOptions = {
      method,
      headers: { ...headers, connection: 'close' },
      agent: false,
      lookup: lookupChecked(check),
      ...(signal ? { signal } : {}),
    }
    return await exchange(url, options, body)
  }
}

/** @throws SsoRefusal `provider` */
function checkAddress(url: URL, address: string, mayBeLocal: boolean): void {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  const plain = mapped ?? address
  const family = isIPv6(plain) ? 'ipv6' : 'ipv4'
  // Another spelling of an IPv4 address in IPv6 is written by nobody in good faith.
  const isOdd = family === 'ipv6' && /^::ffff:/i.test(plain)
  const isBarred = never.check(plain, family) || (!mayBeLocal && loopback.check(plain, family))
  if (isOdd || isBarred)
    throw new SsoRefusal('provider', `${url.host} is not asked: its address is not allowed.`)
}

/** Looks at what the name means when the connection is made, so that it cannot mean something else then. */
function lookupChecked(check: (address: string) => void): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return done(error ?? new Error('no address'), '')
      try {
        for (const { address } of found) check(address)
      } catch (refusal) {
        return done(refusal as Error, '')
      }
      if (options.all) return done(null, found)
      return done(null, first.address, first.family)
    })
  }
}

async function exchange(url: URL, options: RequestOptions, body?: string): Promise<Response> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options)
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > answerLimitBytes)
      throw new SsoRefusal('provider', `${url.host} answered more than ${answerLimitBytes} bytes.`)
    chunks.push(chunk)
  }
  const headers = new Headers()
  for (const name of ['content-type', 'www-authenticate', 'date'] as const) {
    const value = answer.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 599)
    throw new SsoRefusal('provider', `${url.host} answered ${status}.`)
  const hasBody = bytes > 0 && status !== 204 && status !== 304
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers })
}
