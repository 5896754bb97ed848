import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'

/** What `/etc/resolv.conf` says, as resolv.conf(5) has it. */
export interface ResolverSettings {
  readonly servers: readonly string[]
  readonly search: readonly string[]
  readonly ndots: number
}

const tryTimeoutMs = 1500

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
    if (key === 'search' || key === 'domain') settings.search = words
    const ndots = key === 'options' ? /ndots:(\d+)/.exec(words.join(' ')) : null
    if (ndots) settings.ndots = Number(ndots[1])
  }
  return { ...settings, servers: settings.servers.length > 0 ? settings.servers : ['127.0.0.1'] }
}

/** The addresses that a hosts file has for a name. */
export function findInHosts(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return isIP(address) && names.includes(name) ? [address] : []
  })
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
 * @throws Error when no server answers
 */
export async function lookUp(name: string, root: string): Promise<string[]> {
  const inHosts = findInHosts(readText(`${root}/etc/hosts`), name)
  if (inHosts.length > 0) return inHosts
  const settings = parseResolvConf(readText(`${root}/etc/resolv.conf`))
  const resolver = new Resolver({ timeout: tryTimeoutMs, tries: 2 })
  resolver.setServers(settings.servers)
  for (const candidate of candidateNames(name, settings)) {
    const found = await Promise.all([
      answersOf(resolver.resolve4(candidate)),
      answersOf(resolver.resolve6(candidate)),
    ])
    if (found.flat().length > 0) return found.flat()
  }
  return []
}

async function answersOf(query: Promise<string[]>): Promise<string[]> {
  try {
    return await query
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw error
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
