import { Type } from 'typebox'

/** Characters that a password has at least when it is chosen. */
export const passwordMinLength = 12

/** A password that is chosen. */
export const NewPassword = Type.String({ minLength: passwordMinLength, maxLength: 1024 })
