/** Ports from the first to the last, both of them in it. */
export interface PortRange {
  readonly from: number
  readonly to: number
}

/** Reads a port or range in its normal spelling, such as `443` or `8080-8085`. */
export function parsePortRange(text: string): PortRange {
  const [from = '0', to = from] = text.split('-')
  return { from: Number(from), to: Number(to) }
}
