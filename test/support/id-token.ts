import { createHmac, sign, type KeyObject } from 'node:crypto'

export interface IdTokenOptions {
  readonly alg?: string
  readonly kid?: string
  /** With which HS256 is keyed. */
  readonly secret?: string | Buffer
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT with these claims, signed as it is said, well or not. */
export function idToken(
  key: KeyObject,
  claims: Record<string, unknown>,
  { alg = 'RS256', kid = '1', secret }: IdTokenOptions = {},
): string {
  const text = `${part({ alg, kid, typ: 'JWT' })}.${part(claims)}`
  if (alg === 'none') return `${text}.`
  const signature = secret
    ? createHmac('sha256', secret).update(text).digest()
    : sign('sha256', Buffer.from(text), key)
  return `${text}.${signature.toString('base64url')}`
}
