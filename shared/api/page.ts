import { Type, type TSchema } from 'typebox'

/** Items of a page unless the query says otherwise, and at most. */
export const pageSizeLimit = 1_000

/** Query of every paged list. */
export const PageQuery = Type.Object({
  pageSize: Type.Optional(
    Type.String({
      pattern: '^[0-9]{0,6}$',
      description: `Items of a page, ${pageSizeLimit} at most and unless stated.`,
    }),
  ),
  pageToken: Type.Optional(Type.String({ description: 'From the page before.', maxLength: 200 })),
})

/** A page of items. */
export function pageOf<S extends TSchema>(item: S) {
  return Type.Object({
    pageNumber: Type.Integer(),
    pageSize: Type.Integer(),
    pageToken: Type.Union([Type.String(), Type.Null()], {
      description: 'For the next page; null on the last.',
    }),
    items: Type.Array(item),
  })
}
