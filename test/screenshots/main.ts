import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { browserSkipReason } from '../support/browser.ts'
import { repository } from '../support/command.ts'
import { startService, type Service } from '../support/service.ts'
import { until } from '../support/until.ts'
import { openWindow, signInByForm, startBrowser, type Scheme } from '../support/web-browser.ts'

/**
 * `npm run screenshots`: pictures of the main pages, light and dark, for the README. They are of a service of
 * its own on this machine, with attacks that really run.
 */
const folder = join(repository, 'docs/images')
const size = { width: 1080, height: 640 }

async function main(): Promise<void> {
  if (browserSkipReason) throw new Error(browserSkipReason)
  mkdirSync(folder, { recursive: true })
  await using service = await startService()
  const browser = await startBrowser()
  try {
    const running = await startAttacks(service)
    for (const scheme of ['light', 'dark'] as const)
      await takeAll(browser, service, running, scheme)
  } finally {
    await browser.close()
  }
}

const cpu = (...args: string[]) => ({ command: { type: 'cpu', args }, target: { type: 'Random' } })

/** Some that are over, and one that runs. Gives its id. */
async function startAttacks({ owner }: Service): Promise<string> {
  await owner.finished(await owner.attack(cpu('-l', '2', '-p', '30')))
  const halted = await owner.attack(cpu('-l', '60', '-p', '20'))
  await owner.running(halted)
  await owner.halt(halted)
  await owner.finished(halted)
  const id = await owner.attack(cpu('-l', '90', '-p', '30'))
  await owner.running(id)
  return id
}

async function takeAll(
  browser: Browser,
  { local }: Service,
  running: string,
  scheme: Scheme,
): Promise<void> {
  await using window = await openWindow(browser, local.appUrl, { scheme, ...size })
  const { page } = window
  const take = async (name: string, path: string) => {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await until('it is loaded', async () => (await page.getByText(/^Loading /).count()) === 0)
    if (name === 'attack') await measured(page)
    const file = join(folder, `${name}-${scheme}.png`)
    await page.screenshot({ path: file })
    process.stdout.write(`${file}\n`)
  }
  await page.goto('/sign-in')
  await signInByForm(page, local.owner)
  await page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
  await take('attack', `/attacks/${running}`)
  await take('attacks', '/attacks')
  await take('new-attack', '/attacks/new')
  await take('clients', '/clients')
}

/** Until there is something to see in the chart. */
async function measured(page: Page): Promise<void> {
  await page.getByRole('img', { name: 'asked against measured' }).locator('canvas').waitFor()
  await page.getByText(/^\d\d s of 1 min 30 s left$/).waitFor({ timeout: 60_000 })
}

await main()
