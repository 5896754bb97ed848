import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The heads that controllers wrote to their logs, of all chains. */
export interface LoggedHeads {
  /** The hashes that were logged for an entry. */
  at(chain: string, sequence: number): readonly string[]
  /** The newest entry of which there is a head; 0 for none. */
  last(chain: string): number
}

/** Reads the heads in log files; whatever stands before the JSON of a line is left out. */
export async function readLoggedHeads(paths: readonly string[]): Promise<LoggedHeads> {
  const chains = new Map<string, Map<number, Set<string>>>()
  const lasts = new Map<string, number>()
  for (const path of paths)
    for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
      const head = headIn(line)
      if (!head) continue
      const { chain, sequence, hash } = head
      const known = chains.get(chain) ?? new Map<number, Set<string>>()
      chains.set(chain, known)
      known.set(sequence, (known.get(sequence) ?? new Set()).add(hash))
      lasts.set(chain, Math.max(lasts.get(chain) ?? 0, sequence))
    }
  return {
    at: (chain, sequence) => [...(chains.get(chain)?.get(sequence) ?? [])],
    last: (chain) => lasts.get(chain) ?? 0,
  }
}

interface LoggedHead {
  readonly chain: string
  readonly sequence: number
  readonly hash: string
}

function headIn(line: string): LoggedHead | undefined {
  if (!line.includes('"audit_head"')) return undefined
  try {
    const { audit_head: head } = JSON.parse(line.slice(line.indexOf('{'))) as {
      audit_head: LoggedHead
    }
    return head
  } catch {
    return undefined
  }
}
