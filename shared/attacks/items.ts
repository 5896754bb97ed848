import { formatBlock, parseBlock } from './network/address.ts'
import type { ItemKind } from './params.ts'

/** How one kind of list item is written, and what it is called in help and errors. */
interface Grammar {
  /** For usage lines: `-p/--egress-port <port>`. */
  readonly unit: string
  /** What is allowed, in words. */
  readonly words: string
  /** The item in its normal spelling, or undefined when it is none. */
  readonly read: (text: string) => string | undefined
}

/** As a hostname that is spared, this names whatever controls the agent, under any address. */
export const controlPlaneName = 'api.gremlin.com'

const protocols = ['TCP', 'UDP', 'ICMP']

/** One grammar for each kind of item; what passes is safe to hand to nft, tc and ip as an argument. */
export const grammars: Readonly<Record<ItemKind, Grammar>> = {
  address: {
    unit: 'address',
    words: 'an IPv4 or IPv6 address or CIDR block such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32',
    read: (text) => {
      const block = parseBlock(text)
      return block && formatBlock(block)
    },
  },
  hostname: {
    unit: 'hostname',
    words: 'a DNS name such as db.example.com (addresses are given with -i/--ipaddress)',
    read: readHostname,
  },
  port: {
    unit: 'port',
    words:
      'a port or a range of ports from 0 to 65535, the lower one first, such as 443 or 8080-8085',
    read: readPort,
  },
  protocol: {
    unit: 'protocol',
    words: 'TCP, UDP or ICMP',
    read: (text) =>
      /^[A-Za-z]+$/.test(text) ? protocols.find((name) => name === text.toUpperCase()) : undefined,
  },
  device: {
    unit: 'device',
    words: 'the name of a network device, at most 15 of letters, digits and . _ -',
    read: (text) =>
      /^[A-Za-z0-9._][A-Za-z0-9._-]{0,14}$/.test(text) && !/^\.{1,2}$/.test(text)
        ? text
        : undefined,
  },
}

function readHostname(text: string): string | undefined {
  const name = text.replace(/\.$/, '')
  const labels = name.split('.')
  // A number at the end makes it an address, mistyped or in one of the forms that resolvers know.
  const isName =
    name.length <= 253 &&
    labels.every(isLabel) &&
    !/^(\d+|0[Xx][\dA-Fa-f]*)$/.test(labels.at(-1) ?? '')
  // In this order: lower case turns some letters that are not ASCII into ones that are.
  return isName ? name.toLowerCase() : undefined
}

function isLabel(label: string): boolean {
  return /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label)
}

function readPort(text: string): string | undefined {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  if (first === undefined) return undefined
  const [from, to] = [Number(first), Number(last)]
  if (to > 65_535 || from > to) return undefined
  return from === to ? String(from) : `${from}-${to}`
}
