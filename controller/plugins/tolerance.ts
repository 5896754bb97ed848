import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../shared/api/errors.ts'

/**
 * Paths as existing clients send them: zero-width characters before slashes, and empty query pairs.
 * Trailing slashes are the router's own option. Nothing is ever answered with a redirect.
 */
export function tolerantUrl(url: string): string {
  const [path = '', ...query] = url.split('?')
  const pairs = query
    .join('?')
    .split('&')
    .filter((pair) => pair !== '')
  const clean = path.replaceAll(/%E2%80%8B/gi, '')
  return pairs.length > 0 ? `${clean}?${pairs.join('&')}` : clean
}

/** Existing clients renew a session with GET and a form in its body; that is the same as POST. */
export function tolerantMethod(method: string, url: string): string {
  const isRenewal = /^\/v1\/users\/renew(\/rbac)?\/?(\?|$)/.test(url)
  return method === 'GET' && isRenewal ? 'POST' : method
}

/** Reads JSON; an empty body is no body, because clients announce JSON and then send nothing. */
export function addJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body)
    if (text.trim() === '') {
      done(null)
      return
    }
    if (isTooDeep(text)) {
      done(new ApiError('malformed_json', `The body is nested deeper than ${depthLimit} levels.`))
      return
    }
    void parse(request, text, (error, value) => {
      if (error) done(malformed(text))
      else done(null, value)
    })
  })
}

/** Nothing here is nested deeper; what walks a body may recurse. */
const depthLimit = 64

function isTooDeep(text: string): boolean {
  let depth = 0
  // Strings are skipped whole: brackets in them nest nothing.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    if (depth > depthLimit) return true
  }
  return false
}

function malformed(text: string): ApiError {
  const isPython = /^\s*(Gremlin\w+\(|\{\s*'|\[\s*\{\s*')/.test(text)
  const hint = isPython
    ? 'This looks like the text of a Python object. Pass a dict, or the api_model() of the helper.'
    : 'Send one well-formed JSON object.'
  return new ApiError('malformed_json', `The body is not JSON. ${hint}`)
}
