import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Where Debian puts it; undefined when it is not there. */
export const chromiumProgram = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) =>
  existsSync(file),
)

/** Why tests in a browser cannot run here; undefined when they can. */
export const browserSkipReason = chromiumProgram ? undefined : 'Chromium is not installed.'

/** A page in a real browser. */
export interface Page extends AsyncDisposable {
  /** What the page's console and its security policy complained about. */
  readonly complaints: readonly string[]
  open(url: string): Promise<void>
  /** The value of an expression in the page. */
  ask<T>(expression: string): Promise<T>
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
}

/** Starts Chromium without a window and gives its one page. It reaches loopback only. */
export async function startPage(): Promise<Page> {
  const dir = mkdtempSync(join(tmpdir(), 'temblor-browser-'))
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
  const offline = [
    '--no-first-run',
    '--disable-background-networking',
    '--proxy-server=127.0.0.1:9',
  ]
  const own = [`--user-data-dir=${dir}`, '--remote-debugging-port=0', 'about:blank']
  const browser = spawn(chromiumProgram ?? '', [...flags, ...offline, ...own], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const origin = await debuggerOf(browser.stderr)
  const targets = (await (await fetch(`${origin}/json`)).json()) as Record<string, string>[]
  const address = targets.find(({ type }) => type === 'page')?.['webSocketDebuggerUrl'] ?? ''
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const complaints: string[] = []
  const waiting = new Map<number, (message: Message) => void>()
  const loaded: (() => void)[] = []
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    if (message.method === 'Page.loadEventFired') loaded.shift()?.()
    if (/^(Log.entryAdded|Runtime.exceptionThrown)$/.test(message.method ?? ''))
      complaints.push(JSON.stringify(message.params))
  })
  let lastId = 0
  const send = (method: string, params: object = {}) =>
    new Promise<Message>((resolve) => {
      lastId += 1
      waiting.set(lastId, resolve)
      socket.send(JSON.stringify({ id: lastId, method, params }))
    })
  for (const domain of ['Page', 'Log', 'Runtime']) await send(`${domain}.enable`)
  return {
    complaints,
    async open(url) {
      const isLoaded = new Promise<void>((resolve) => void loaded.push(resolve))
      // Another # alone would not load anything.
      await send('Page.navigate', { url: 'about:blank' })
      await isLoaded
      const isThere = new Promise<void>((resolve) => void loaded.push(resolve))
      await send('Page.navigate', { url })
      await isThere
    },
    async ask(expression) {
      const how = { expression, awaitPromise: true, returnByValue: true }
      const { result } = await send('Runtime.evaluate', how)
      return (result as { result: { value: never } }).result.value
    },
    async [Symbol.asyncDispose]() {
      // Asked to close, it may go before it answers.
      const ended = browser.exitCode === null ? once(browser, 'exit') : undefined
      socket.close()
      browser.kill('SIGKILL')
      await ended
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function debuggerOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [, host] = /DevTools listening on ws:\/\/([^/]+)\//.exec(line) ?? []
    if (host) {
      stderr.resume()
      return `http://${host}`
    }
  }
  throw new Error('Chromium did not start.')
}
