import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { everywhere, newNonce, pageHeaders } from './page-headers.ts'
import { wantsPage } from './refusal-page.ts'

/** What `npm run build` makes of controller/web; the build of the controller is one folder deep. */
const root = import.meta.url.endsWith('.ts') ? '../../' : '../'
const builtFolder = fileURLToPath(new URL(`${root}dist-web/`, import.meta.url))

/** Answers with the page of the web application, or says with false that this is not for it. */
export type AppPage = (request: FastifyRequest, reply: FastifyReply) => boolean

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Addresses that programs ask for: what is not there is told them as an error, whatever they accept. */
const notPages = /^\/(v1|docs|assets)(\/|$)/

/**
 * Serves the files of the web application, all of them known by name, and gives what answers with its page.
 * Undefined when it has not been built: then there is only the API.
 */
export function addWebApp(app: FastifyInstance, folder = builtFolder): AppPage | undefined {
  const index = path.join(folder, 'index.html')
  if (!existsSync(index)) return undefined
  const assets = path.join(folder, 'assets')
  for (const name of readdirSync(assets)) if (!name.endsWith('.gz')) addAsset(app, assets, name)
  return pageOf(readFileSync(index, 'utf8'))
}

/** The name of an asset has the hash of what it holds, so it may be kept for ever. */
function addAsset(app: FastifyInstance, folder: string, name: string): void {
  const file = path.join(folder, name)
  const plain = readFileSync(file)
  const packed = existsSync(`${file}.gz`) ? readFileSync(`${file}.gz`) : undefined
  const headers = {
    ...everywhere,
    'content-type': types[path.extname(name)] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  }
  const options = { schema: { hide: true } as object, config: { rateLimit: false } as object }
  app.get(`/assets/${name}`, options, (request, reply) => {
    reply.headers(headers)
    const accepted = request.headers['accept-encoding']?.toString() ?? ''
    if (!packed || !/\bgzip\b(?!;q=0(\D|$))/.test(accepted)) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(packed)
  })
}

/** The page for every address that a person opens and that is nothing else. */
function pageOf(html: string): AppPage {
  return (request, reply) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    if (!isReading || !wantsPage(request) || notPages.test(request.url.split('?')[0] ?? ''))
      return false
    const nonce = newNonce()
    void reply.status(200).headers(pageHeaders(nonce)).send(html.replaceAll('{nonce}', nonce))
    return true
  }
}
