import { Type } from 'typebox'

/** Query of every route of a team. */
export const TeamQuery = Type.Object({
  teamId: Type.Optional(Type.String({ description: 'Must be the team of the session.' })),
})
