import { Type, type Static } from 'typebox'

/** A quantity that was asked for or measured, with what is needed to judge it. */
export const Effect = Type.Object(
  {
    metric: Type.String({ description: 'What is counted, for example `cpu`.' }),
    value: Type.Number({ description: 'The quantity in `unit`.' }),
    unit: Type.String({ description: 'For example `percent_of_capacity`.' }),
    detail: Type.Record(Type.String(), Type.Number(), {
      description: 'Further figures behind the value; each name carries its unit.',
    }),
  },
  { title: 'Effect' },
)
export type Effect = Static<typeof Effect>
