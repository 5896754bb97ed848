/** Where Redis is, as TEMBLOR_REDIS_URL says it. */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'socket'; readonly path: string }
  | ManyNodes<'cluster'>
  /** `name` is what the Sentinels call the master. */
  | (ManyNodes<'sentinel'> & { readonly name: string })

interface ManyNodes<Kind extends string> {
  readonly kind: Kind
  /** Some of the nodes; they name the others. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly isTls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
}

/** The forms that TEMBLOR_REDIS_URL may have. */
export const redisUrlForms =
  'redis://host:port, rediss://host:port, unix:///path, redis+cluster://host:port,host:port or ' +
  'redis+sentinel://host:port,host:port/name-of-the-master (rediss+… with TLS)'

const manyNodes = /^(rediss?)\+(cluster|sentinel):\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([\w.-]*))?$/
const node = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i
const defaultPorts = { cluster: 6379, sentinel: 26_379 } as const

/**
 * Reads an address of Redis.
 * @throws Error naming the allowed forms; what is refused may hold a password and is not repeated
 */
export function readRedisUrl(url: string): RedisAddress {
  if (/^rediss?:\/\/./.test(url)) return { kind: 'single', url }
  if (/^unix:\/\/./.test(url)) return { kind: 'socket', path: url.slice('unix://'.length) }
  const [, scheme, kind, login, hosts, name] = manyNodes.exec(url) ?? []
  const nodes = (hosts ?? '')
    .split(',')
    .map((text) => toNode(text, kind as keyof typeof defaultPorts))
  const isNamed = kind === 'sentinel' ? Boolean(name) : !name
  const said = toLogin(login)
  if (!isNamed || !said || nodes.includes(undefined)) throw new Error(`Allowed: ${redisUrlForms}.`)
  const common = {
    nodes: nodes.filter((one) => one !== undefined),
    isTls: scheme === 'rediss',
    ...said,
  }
  return kind === 'sentinel'
    ? { kind, name: name ?? '', ...common }
    : { kind: 'cluster', ...common }
}

function toNode(text: string, kind: keyof typeof defaultPorts | undefined) {
  const [, address, name, port] = node.exec(text) ?? []
  const host = address ?? name
  const number = port === undefined ? defaultPorts[kind ?? 'cluster'] : Number(port)
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number }
}

/** `user:password`, `:password`, or nothing; percent-encoded. Undefined when it is not. */
function toLogin(text = ''): Pick<ManyNodes<''>, 'username' | 'password'> | undefined {
  const [username = '', ...rest] = text.split(':')
  try {
    return {
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(rest.join(':')) || undefined,
    }
  } catch {
    return undefined
  }
}
