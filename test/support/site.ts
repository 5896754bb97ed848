import { once } from 'node:events'
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** An address at which a controller and an app of the test are reached together, as behind a proxy. */
export interface Site extends AsyncDisposable {
  readonly url: string
  /** Where everything but the app goes from now on. */
  leadTo(baseUrl: string): void
}

/** Answers with an empty page at the paths of the app; everything else goes on to a controller. */
export async function startSite(isApp: (path: string) => boolean): Promise<Site> {
  let target = ''
  const server = createServer((asked, answer) => {
    if (isApp(asked.url?.split('?')[0] ?? '')) answer.end('<!doctype html><title>The app</title>')
    else pass(asked, answer, target)
  })
  const url = await listen(server)
  return {
    url,
    leadTo: (baseUrl) => void (target = baseUrl),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Listens on a free port of loopback. */
export async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function pass(asked: IncomingMessage, answer: ServerResponse, target: string): void {
  const { method, headers, url } = asked
  const onward = forward(`${target}${url}`, { method, headers }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.statusMessage, given.headers)
    given.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  asked.pipe(onward)
}
