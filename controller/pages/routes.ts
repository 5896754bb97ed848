import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** Only what this server itself serves runs on the page, it talks to nobody else, and nobody frames it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'"

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const files = [
  ['/invitation', 'set-password.html', 'text/html'],
  ['/password-reset', 'set-password.html', 'text/html'],
  ['/pages/set-password.js', 'set-password.js', 'text/javascript'],
  ['/pages/set-password.css', 'set-password.css', 'text/css'],
] as const

/** The page that the links of invitations and password resets lead to. */
export function addPages(app: FastifyInstance): void {
  for (const [url, file, type] of files) {
    const content = readFileSync(new URL(file, import.meta.url))
    app.get(url, { schema: { hide: true } as object }, (_request, reply) =>
      reply.headers(headers).type(`${type}; charset=utf-8`).send(content),
    )
  }
}
