import { Type } from 'typebox'

/** The longest attack that the known interface allows: 364 days. */
const maximumLengthSeconds = 31_449_600

/** The `-l/--length` parameter that every attack with a duration shares. */
export const lengthSeconds = Type.Integer({
  default: 60,
  minimum: 1,
  maximum: maximumLengthSeconds,
  description: 'How long the fault lasts; it never lasts longer.',
  unit: 's',
})
