import type { IntegerParam } from './params.ts'

/** The longest attack that the known interface allows: 364 days. */
const maximumLengthSeconds = 31_449_600

/** The `-l/--length` parameter that every attack with a duration shares. */
export const lengthSeconds = {
  type: 'integer',
  default: 60,
  minimum: 1,
  maximum: maximumLengthSeconds,
  unit: 's',
  title: 'Length',
  description: 'How long the fault lasts; it never lasts longer.',
} as const satisfies IntegerParam
