/**
 * V8 flags of an agent, which mostly waits: a heap that stays small, and no optimizing compilers,
 * whose code alone takes 7 MB of memory when it is used for the first time.
 */
export const lightFlags = [
  '--semi-space-growth-factor=1',
  '--optimize-for-size',
  '--no-opt',
  '--no-maglev',
] as const
