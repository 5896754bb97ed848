import { randomBytes } from 'node:crypto'

const codes = 10
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Ten codes of 80 random bits: four groups of four letters and digits, none that looks like another. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codes }, newCode)
}

function newCode(): string {
  const letters = Array.from(randomBytes(16), (byte) => alphabet[byte % 32]).join('')
  return letters.replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** The code as it is hashed, however it was typed; undefined for what is none. */
export function canonicalRecoveryCode(text: string): string | undefined {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{16}$/.test(letters) ? letters : undefined
}
