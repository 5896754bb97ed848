import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One end of a cable, for `nics` of a guest. */
export interface CableEnd {
  /** The socket of this end and that of the other. */
  readonly local: string
  readonly remote: string
}

/** A network cable between two guests, which nobody else is on. */
export interface Cable {
  readonly ends: readonly [CableEnd, CableEnd]
  [Symbol.dispose](): void
}

/** Makes a cable; each end goes into the `nics` of another guest. */
export function layCable(): Cable {
  const dir = mkdtempSync(join(tmpdir(), 'temblor-cable-'))
  const [a, b] = [join(dir, 'a'), join(dir, 'b')]
  return {
    ends: [
      { local: a, remote: b },
      { local: b, remote: a },
    ],
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}
