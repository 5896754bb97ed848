/** See bundle.js. */
export function digestOf(inputs: readonly string[]): string
export function isFresh(folder?: string): boolean
export function ensureBundle(folder?: 'dist' | 'dist-controller'): boolean
