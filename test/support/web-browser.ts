import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { chromiumProgram } from './browser.ts'

export type Scheme = 'light' | 'dark'

/** A window of its own: other storage than any other. Closing it throws when the page complained about anything. */
export interface Window extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of scripts and of the policy; refusals of the API, which browsers log too, are left out. */
  readonly complaints: readonly string[]
}

/** Starts Chromium, which reaches loopback only. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumProgram ?? '',
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-dev-shm-usage', '--proxy-server=127.0.0.1:9'],
  })
}

/** Opens a window on a site. */
export async function openWindow(
  browser: Browser,
  baseURL: string,
  options: { readonly scheme?: Scheme; readonly width?: number; readonly height?: number } = {},
): Promise<Window> {
  const { scheme = 'light', width = 1280, height = 800 } = options
  const context = await browser.newContext({
    baseURL,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    viewport: { width, height },
  })
  // A page that asks every ten seconds may ask for the second time, on a machine with other work.
  context.setDefaultTimeout(40_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    const isRefusal = /status of 4\d\d/.test(message.text())
    // Other tests add and remove devices on this machine, at which Chromium drops its connections.
    const isOfMachine = message.text().includes('net::ERR_NETWORK_CHANGED')
    if (message.type() === 'error' && !isRefusal && !isOfMachine) complaints.push(message.text())
  })
  return {
    page,
    context,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close()
      if (complaints.length > 0) throw new Error(`The page complained: ${complaints.join('\n')}`)
    },
  }
}

/** Signs in by the form of the sign-in page, as a person does. */
export async function signInByForm(
  page: Page,
  user: { readonly email: string; readonly password: string; readonly companyName?: string },
): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  if (user.companyName !== undefined) await page.getByLabel('Company').fill(user.companyName)
  await page.getByLabel('Email address').fill(user.email)
  await page.locator('input[name="password"]').fill(user.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** What depends on colours or on the width: the rest is the same on every look at a page. */
const rulesOfLook = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
]

/**
 * What axe-core finds against WCAG 2.2 AA and its own advice, as `rule: element`. The second look at a page, in
 * the other scheme, can do with what looks may change.
 */
export async function axeViolations(page: Page, what: 'all' | 'look' = 'all'): Promise<string[]> {
  // The policy of the page lets no other script in; the debugger is not the page.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source)
  return await page.evaluate(
    async (options) => {
      const { axe: engine } = globalThis as unknown as {
        axe: {
          run(how: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
        }
      }
      const { violations } = await engine.run(options)
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
    },
    {
      resultTypes: ['violations'],
      ...(what === 'look' ? { runOnly: { type: 'rule', values: rulesOfLook } } : {}),
    },
  )
}
