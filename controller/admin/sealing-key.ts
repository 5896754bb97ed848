import {
  newSealingKey,
  readKeyFile,
  replaceSealingKeys,
  type KeyFile,
  type SealingKey,
} from '../auth/key-file.ts'
import type { Store } from '../store/store.ts'

/**
 * Longer than a controller that sealed something before it saw the new key can take to write it: its
 * commands to Redis fail after 3 s.
 */
const settleMs = 5_000

/** What a rotation works on. */
export interface RotationDeps {
  readonly store: Pick<Store, 'rotationLock' | 'sealedPlaces'>
  readonly keyFilePath: string
  /** Told of each step when it is done. */
  readonly say: (line: string) => void
}

/** Ids of the sealing keys with what becomes of them. */
export function sealingKeys(path: string): { id: string; state: string }[] {
  return readKeyFile(path).sealingKeys.map(({ id, state }) => ({ id, state }))
}

/**
 * Seals everything with a new key and removes the old one, or finishes what an earlier rotation left. Whatever
 * is sealed can be opened with what the key file holds at every moment, so it may be cut off anywhere.
 * `once` takes one step alone, for controllers that have copies of the file.
 */
export async function rotateSealingKey(deps: RotationDeps, once: boolean): Promise<void> {
  await deps.store.rotationLock.hold(async (lock) => {
    for (;;) {
      const keyFile = readKeyFile(deps.keyFilePath)
      const hasOld = keyFile.sealingKeys.some(({ state }) => state === 'old')
      if (hasOld) await sealAnew(deps)
      await lock.check()
      const after = await replaceSealingKeys(keyFile, stepFrom(keyFile))
      deps.say(`The sealing keys are now: ${listed(after)}.`)
      if (hasOld || once) return
    }
  })
}

/** None of the controllers knows a new key at first, so none may need it to seal yet. */
function stepFrom({ sealingKeys: all }: KeyFile): SealingKey[] {
  if (all.some(({ state }) => state === 'old')) return all.filter(({ state }) => state !== 'old')
  if (all.some(({ state }) => state === 'next'))
    return all.map((one) => ({ ...one, state: one.state === 'next' ? 'current' : 'old' }))
  return [...all, newSealingKey('next')]
}

/** Until what was sealed while the key changed is sealed anew as well. */
async function sealAnew({ store, say }: RotationDeps): Promise<void> {
  for (let round = 0; ; round += 1) {
    let changed = 0
    for (const place of store.sealedPlaces) changed += await place.reseal()
    say(`Sealed anew: ${changed}.`)
    if (round > 0 && changed === 0) return
    await new Promise((resolve) => setTimeout(resolve, settleMs))
  }
}

function listed({ sealingKeys: all }: KeyFile): string {
  return all.map(({ id, state }) => `${id} (${state})`).join(', ')
}
