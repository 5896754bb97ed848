import { randomBytes } from 'node:crypto'

/** What everything that is served to browsers says of itself. */
export const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/** Only what this server itself serves runs on the page, it talks to nobody else, and nobody frames it. */
const policy = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** With what an answer lets its own styles in. */
export function newNonce(): string {
  return randomBytes(16).toString('base64')
}

/** Of a page. */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    ...everywhere,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(nonce),
    'cross-origin-opener-policy': 'same-origin',
    // Another page each time, because of the nonce.
    'cache-control': 'no-store',
  }
}
