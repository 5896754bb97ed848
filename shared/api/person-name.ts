import { Type } from 'typebox'
import { Nullable } from './nullable.ts'

/** A name of a person: anything that fits on a line. */
const OneName = Type.String({ maxLength: 100, pattern: String.raw`^[^\p{Cc}]*$` })

/** How people are called, where somebody says it. */
export const GivenName = {
  first_name: Type.Optional(Nullable(OneName)),
  last_name: Type.Optional(Nullable(OneName)),
}

/** How people are called, as it is shown; null where nobody said. */
export const ShownName = {
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
}
