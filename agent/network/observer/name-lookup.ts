import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { formatBlock, parseBlock } from '../../../shared/attacks/network/address.ts'
import { readTextBelow } from '../../host/text-below.ts'

/** What `/etc/resolv.conf` says, as resolv.conf(5) has it. */
export interface ResolverSettings {
  readonly servers: readonly string[]
  readonly search: readonly string[]
  readonly ndots: number
}

const tryTimeoutMs = 1500
/** As many as libc asks. */
const serverLimit = 3
/** The files are the target's: they may be written so that asking never ends. */
const searchLimit = 32
const addressLimit = 1_000

/** Reads the text of a resolv.conf; without a server it is the local one, as in libc. */
export function parseResolvConf(text: string): ResolverSettings {
  const settings = { servers: [] as string[], search: [] as string[], ndots: 1 }
  for (const line of text.split('\n')) {
    const [key, ...words] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    const [first = ''] = words
    if (key === 'nameserver' && isIP(first.split('%')[0] ?? '')) settings.servers.push(first)
    // A lone dot is no domain: systemd-resolved writes it where there is none.
    if (key === 'search' || key === 'domain')
      settings.search = words.map((word) => word.replace(/^\.+|\.+$/g, '')).filter(Boolean)
    const ndots = key === 'options' ? /ndots:(\d+)/.exec(words.join(' ')) : null
    if (ndots) settings.ndots = Number(ndots[1])
  }
  const { servers, search, ndots } = settings
  return {
    servers: servers.length > 0 ? servers.slice(0, serverLimit) : ['127.0.0.1'],
    search: search.slice(0, searchLimit),
    ndots,
  }
}

/** The addresses that a hosts file has for a name. */
export function findInHosts(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return isIP(address) && names.includes(name) ? [address] : []
  })
}

/**
 * Addresses as they are on the wire, each once: without the zone that only this host knows, and a v4
 * address that is written as a v6 one as what it is.
 */
export function onTheWire(addresses: readonly string[]): string[] {
  const blocks = addresses.map((address) => parseBlock(address.replace(/%.*/, '')))
  const found = new Set(blocks.filter((block) => block !== undefined).map(formatBlock))
  return [...found].slice(0, addressLimit)
}

/** The full names that are asked for, in order. */
export function candidateNames(name: string, { search, ndots }: ResolverSettings): string[] {
  const inDomains = search.map((domain) => `${name}.${domain}`)
  const isFull = name.split('.').length > ndots
  return isFull ? [name, ...inDomains] : [...inDomains, name]
}

/**
 * The addresses of a name as programs below this root see them: from its hosts file, else from the
 * servers in its resolv.conf. Empty when there is no such name.
 * @throws Error when no server answers, or all that answer fail
 */
export async function lookUp(name: string, root: string): Promise<string[]> {
  const inHosts = findInHosts(readTextBelow(root, 'etc/hosts'), name)
  if (inHosts.length > 0) return onTheWire(inHosts)
  const settings = parseResolvConf(readTextBelow(root, 'etc/resolv.conf'))
  const resolver = new Resolver({ timeout: tryTimeoutMs, tries: 2 })
  resolver.setServers(settings.servers)
  let failure: Error | undefined
  for (const candidate of candidateNames(name, settings)) {
    const answers = await Promise.all([
      answerTo(resolver.resolve4(candidate)),
      answerTo(resolver.resolve6(candidate)),
    ])
    const found = answers.flatMap(({ addresses = [] }) => addresses)
    // Many servers fail for one family and know the other, as they do for names of other domains.
    if (found.length > 0) return onTheWire(found)
    for (const { error } of answers) failure ??= error
    if (failure && !isOfOneName(failure)) throw failure
  }
  if (failure) throw failure
  return []
}

interface Answer {
  readonly addresses?: readonly string[]
  readonly error?: Error
}

async function answerTo(query: Promise<string[]>): Promise<Answer> {
  try {
    return { addresses: await query }
  } catch (error) {
    return /^(ENOTFOUND|ENODATA)$/.test(codeOf(error)) ? {} : { error: error as Error }
  }
}

/** The server is there, and cannot tell of this name; it may of others. */
function isOfOneName(error: Error): boolean {
  return /^(ESERVFAIL|EREFUSED|ENOTIMP|EFORMERR)$/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
