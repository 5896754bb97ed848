import { Type, type TSchema } from 'typebox'

/** The schema, or null. */
export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}
