/** A container with this label set to `true` is never touched, whatever the controller says. */
export const protectLabel = { key: 'temblor.protect', value: 'true' } as const
