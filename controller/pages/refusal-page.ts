import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError, ErrorCode } from '../../shared/api/errors.ts'
import { newNonce, pageHeaders } from './page-headers.ts'

/** Whether a person waits in front of a browser: programs that want JSON do not ask for pages. */
export function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') === true
}

const refused = 'The sign-in was refused. Begin it anew; an admin of your company can see why.'
const busy = 'There are too many sign-ins at this moment. Wait a little, then begin anew.'

/** In plain words, and never more than the same for everybody: whose browser it is nobody knows. */
const words: Partial<Record<ErrorCode, string>> = {
  sso_refused: refused,
  invalid_body: refused,
  locked_out:
    'There were too many refused sign-ins from here. Wait a few minutes, then begin anew.',
  too_many_requests: busy,
  too_many_logins: busy,
  storage_unavailable: busy,
}

/** Answers a browser that a sign-in with a provider brought here and that goes no further. */
export function sendRefusalPage(
  reply: FastifyReply,
  request: FastifyRequest,
  { code, status, retryAfterSeconds }: ApiError,
): FastifyReply {
  const nonce = newNonce()
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  return reply
    .status(status)
    .headers(pageHeaders(nonce))
    .send(pageOf(words[code] ?? refused, request.id, nonce))
}

/** Both texts are of this file, and the id is one that this server made. */
function pageOf(text: string, requestId: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Not signed in · Temblor</title>
    <style nonce="${nonce}">
      body { font: 16px/1.55 system-ui, sans-serif; color-scheme: light dark; }
      main { max-width: 26rem; margin: 10vh auto; padding: 0 1rem; }
      h1 { font-size: 1.4rem; }
      a { color: light-dark(#1864ab, #74c0fc); }
      small { overflow-wrap: anywhere; }
    </style>
  </head>
  <body>
    <main>
      <h1>You are not signed in</h1>
      <p>${text}</p>
      <p><a href="/sign-in">Back to the sign-in</a></p>
      <p><small>Reference for whoever runs this server: ${requestId}</small></p>
    </main>
  </body>
</html>
`
}
