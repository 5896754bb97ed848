import type { Seal } from '../auth/seal.ts'

/** By what is kept whom an access token lets in. It is not the key of any code. */
export function tokenKey(seal: Seal, accessToken: string): string {
  return seal.hashToken(`oauth token ${accessToken}`)
}

/** By what is kept whom a code lets in. */
export function codeKey(seal: Seal, code: string): string {
  return seal.hashToken(`oauth code ${code}`)
}
