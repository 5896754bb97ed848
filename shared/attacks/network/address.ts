/** IP addresses and CIDR blocks as text, v4 and v6, without Node: forms check them as well. */

/** A block of addresses; `bits` are those of its first address. */
export interface AddressBlock {
  readonly family: 4 | 6
  readonly bits: bigint
  readonly prefixLength: number
}

const widths = { 4: 32, 6: 128 } as const

/**
 * Reads an address or a CIDR block; undefined when it is neither. Host bits are cut off. A v4 address
 * as sockets of both families show it (`::ffff:10.0.0.1`) is the v4 address: that is what is on the wire.
 */
export function parseBlock(text: string): AddressBlock | undefined {
  const [address = '', length, ...rest] = text.split('/')
  if (rest.length > 0) return undefined
  const family = address.includes(':') ? 6 : 4
  const bits = family === 4 ? parseV4(address) : parseV6(address)
  if (bits === undefined) return undefined
  const width = widths[family]
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined
  const prefixLength = length === undefined ? width : Number(length)
  if (prefixLength > width) return undefined
  const hostBits = BigInt(width - prefixLength)
  return unmapped({ family, bits: (bits >> hostBits) << hostBits, prefixLength })
}

/** The block in one normal spelling; a single address has no `/`. */
export function formatBlock({ family, bits, prefixLength }: AddressBlock): string {
  const address = family === 4 ? formatV4(bits) : formatV6(bits)
  return prefixLength === widths[family] ? address : `${address}/${prefixLength}`
}

/** Whether two blocks have an address in common. */
export function overlaps(a: AddressBlock, b: AddressBlock): boolean {
  if (a.family !== b.family) return false
  const shift = BigInt(widths[a.family] - Math.min(a.prefixLength, b.prefixLength))
  return a.bits >> shift === b.bits >> shift
}

/** Whether every address of `inner` is in `outer`. */
export function contains(outer: AddressBlock, inner: AddressBlock): boolean {
  return outer.prefixLength <= inner.prefixLength && overlaps(outer, inner)
}

function unmapped(block: AddressBlock): AddressBlock {
  const { family, bits, prefixLength } = block
  if (family === 4 || prefixLength < 96 || bits >> 32n !== 0xffffn) return block
  return { family: 4, bits: bits & 0xffff_ffffn, prefixLength: prefixLength - 96 }
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.')
  // A leading zero is octal to some programs and decimal to others: refused.
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part)))
    return undefined
  if (parts.some((part) => Number(part) > 255)) return undefined
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const read = halves.map((half, i) => groups(half, i === halves.length - 1))
  if (read.includes(undefined)) return undefined
  const [head = [], tail = []] = read
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const all = [...head, ...Array.from({ length: missing }, () => 0), ...tail]
  return all.reduce((bits, group) => (bits << 16n) | BigInt(group), 0n)
}

/** Groups of sixteen bits; at the end a v4 address may stand for two. Undefined when malformed. */
function groups(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  if (!isEnd || !last.includes('.'))
    return parts.every(isGroup) ? parts.map((part) => Number.parseInt(part, 16)) : undefined
  const v4 = parseV4(last)
  const before = parts.slice(0, -1)
  if (v4 === undefined || !before.every(isGroup)) return undefined
  const low = Number(v4)
  return [...before.map((part) => Number.parseInt(part, 16)), low >>> 16, low & 0xffff]
}

function isGroup(text: string): boolean {
  return /^[0-9A-Fa-f]{1,4}$/.test(text)
}

function formatV4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.')
}

/** As RFC 5952 wants it: lower case, the longest run of zero groups shortened. */
function formatV6(bits: bigint): string {
  const hex = Array.from({ length: 8 }, (_, i) => Number((bits >> BigInt(112 - 16 * i)) & 0xffffn))
  let best = { start: -1, length: 1 }
  for (let start = 0; start < 8; start += 1) {
    let length = 0
    while (start + length < 8 && hex[start + length] === 0) length += 1
    if (length > best.length) best = { start, length }
  }
  if (best.start < 0) return hexGroups(hex)
  return `${hexGroups(hex.slice(0, best.start))}::${hexGroups(hex.slice(best.start + best.length))}`
}

function hexGroups(part: readonly number[]): string {
  return part.map((group) => group.toString(16)).join(':')
}
