/** What a run is made of that tries to sign in by what was changed on its way. */
export interface SignInFuzzOptions {
  readonly seed: number
  readonly from: number
  readonly count: number
  readonly say?: (line: string) => void
}

/** What came of it. */
export interface SignInFuzzReport {
  readonly failures: readonly { index: number; fault: string; sent: string }[]
  /** What is true afterwards and should not be. */
  readonly damage: readonly string[]
  readonly byStatus: Readonly<Record<string, number>>
  /** Those that were not changed and let somebody in, as they should. */
  readonly untouched: number
  /** Changed ones that say the same, such as by another order or one comment more. */
  readonly harmless: number
}

/** Each so many is sent as it is, to see that others are refused for what was changed. */
export const untouchedEvery = 10
