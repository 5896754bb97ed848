import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserSkipReason } from '../support/browser.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import {
  axeViolations,
  openWindow,
  signInByForm,
  startBrowser,
  type Window,
} from '../support/web-browser.ts'

const cpuFor = (seconds: number) => ({
  command: { type: 'cpu', args: ['-l', String(seconds), '-p', '20'] },
  target: { type: 'Random' },
})

/** Runs in the page: what that is called which has the focus. */
const nameOfFocused =
  '(({ labels, textContent }) => (labels?.[0] ?? { textContent }).textContent)(document.activeElement)'

describe.skipIf(browserSkipReason)('a game day in the browser', () => {
  let service: Service
  let browser: Browser
  let window: Window
  let page: Page
  beforeAll(async () => {
    ;[service, browser] = await Promise.all([startService(), startBrowser()])
    window = await openWindow(browser, service.local.appUrl)
    page = window.page
  })
  afterAll(async () => {
    await browser?.close()
    await service?.[Symbol.asyncDispose]()
  })

  /** Waits until what is pressed now goes to this: a dialog takes the focus after it is there. */
  const isFocused = (one: Locator) => one.and(page.locator(':focus')).waitFor()
  const stageOf = (name: string) =>
    page.getByRole('article', { name }).locator('.temblor-stage').first().textContent()

  test('whoever opens a page without a session signs in and comes back to it', async () => {
    await page.goto('/clients')
    await signInByForm(page, { ...service.local.owner, password: 'not it at all' })
    await page.getByRole('alert').getByText('do not belong together').waitFor()
    await signInByForm(page, service.local.owner)
    await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/clients')
    const [host] = await service.owner.activeClients()
    await page.getByRole('cell', { name: host?.identifier ?? '', exact: true }).waitFor()
  })

  test('an attack appears by itself, is watched while it runs, and is halted', async () => {
    await page.getByRole('link', { name: 'Attacks', exact: true }).click()
    await page.getByText('No attacks yet').waitFor()
    const id = await service.owner.attack(cpuFor(60))
    await page.getByRole('link', { name: 'cpu' }).click()
    await page.getByRole('heading', { level: 1, name: 'Attack: cpu' }).waitFor()
    const [execution] = await service.owner.running(id)
    const host = execution?.client_id ?? ''
    await page.getByRole('article', { name: host }).getByText('Running', { exact: true }).waitFor()
    await page.getByRole('img', { name: 'asked against measured' }).locator('canvas').waitFor()
    await page
      .getByRole('article', { name: host })
      .getByText(/Measured \d+\.\d %/)
      .waitFor()

    await page.getByRole('button', { name: 'Halt', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Halt cpu on 1 host?' })
    await dialog.getByText(host).waitFor()
    await dialog.getByLabel('Reason').fill('enough seen')
    await dialog.getByRole('button', { name: 'Halt' }).click()
    await page.getByText('enough seen').waitFor()
    await page.getByRole('article', { name: host }).getByText('Halted', { exact: true }).waitFor()
    expect((await service.owner.finished(id)).map(({ stage }) => stage)).toEqual(['UserHalted'])
    expect(await stageOf(host)).toBe('Halted')
  })

  test('an attack is watched to its end, which comes without loading anything again', async () => {
    const id = await service.owner.attack(cpuFor(3))
    await page.goto(`/attacks/${id}`)
    await page.getByText('Successful', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'Attacks', exact: true }).click()
    const row = page.getByRole('row').filter({ hasText: 'Successful' })
    expect(await row.textContent()).toContain('-l 3 -p 20')
  })

  test('filters are in the address', async () => {
    await page.goto('/attacks?state=over&text=Nobody+has+this')
    await page.getByText('No attack fits').waitFor()
    expect(await page.getByLabel('Target, user or id').inputValue()).toBe('Nobody has this')
    await page.getByRole('link', { name: 'Show all attacks' }).click()
    await page.getByRole('row').filter({ hasText: 'Halted' }).waitFor()
    await page.getByLabel('State').selectOption('active')
    await page.getByText('No attack fits').waitFor()
    expect(new URL(page.url()).search).toBe('?state=active')
    await page.getByLabel('State').selectOption('Over: halted')
    await page.getByRole('row').filter({ hasText: 'Halted' }).waitFor()
    await page.getByLabel('Target, user or id').fill('-l 60')
    await page.waitForURL(/text=-l\+60/)
    expect(await page.getByRole('row').filter({ hasText: 'cpu' }).count()).toBe(1)
    await page.getByLabel('From').fill('2100-01-31')
    await page.getByText('No attack fits').waitFor()
    expect(new URL(page.url()).search).toBe('?state=halted&text=-l+60&from=2100-01-31')
  })

  test('by keyboard one is past the menu at once, and on the page that one goes to', async () => {
    const focused = () => page.evaluate<string>('document.activeElement.id')
    await page.goto('/account')
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('page')
    await page.getByRole('link', { name: 'Attacks', exact: true }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
    await expect.poll(focused).toBe('page')
  })

  test('an attack is made and halted by keyboard alone', async () => {
    await page.goto('/attacks')
    await page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
    await tabTo('New attack')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Attack 1 host for 1 min' }).waitFor()
    await tabTo('Load of each core (-p)')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('20')
    await page.getByText('--percent 20').first().waitFor()
    // Tab passes it over until it is known whom that would hit.
    await page.getByRole('button', { name: 'Attack 1 host for 1 min', disabled: false }).waitFor()
    await tabTo('Attack 1 host for 1 min')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Attack: cpu' }).waitFor()
    const halt = page.getByRole('button', { name: 'Halt', exact: true })
    await halt.waitFor()
    await tabTo('Halt')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Halt cpu on 1 host?' })
    await isFocused(dialog.getByRole('button', { name: 'Halt' }))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('Halted', { exact: true }).first().waitFor()
    const [newest] = await service.owner.attacks()
    expect(newest).toMatchObject({ args: ['--length', '60', '--percent', '20'] })
    await service.owner.finished(newest?.guid ?? '')
  })

  /** Goes on by Tab to what is called so. */
  const tabTo = async (name: string) => {
    for (let pressed = 0; pressed < 80; pressed += 1) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate<string>(nameOfFocused)) === name) return
    }
    throw new Error(`Tab does not lead to ${name}.`)
  }

  test('all attacks are halted from any page, by keyboard alone', async () => {
    await page.getByRole('link', { name: 'Account', exact: true }).click()
    const ids = [await service.owner.attack(cpuFor(60)), await service.owner.attack(cpuFor(60))]
    await Promise.all(ids.map((id) => service.owner.running(id)))
    await page.getByRole('button', { name: 'Halt all' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Halt 2 attacks on 1 host?' })
    await isFocused(dialog.getByRole('button', { name: 'Halt the team' }))
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('Halting 2 attacks on 1 host.').waitFor()
    const all = await Promise.all(ids.map((id) => service.owner.finished(id)))
    expect(all.flat().map(({ stage }) => stage)).toEqual(['UserHalted', 'UserHalted'])
  })

  test('all are halted also before it is known what runs', async () => {
    const id = await service.owner.attack(cpuFor(60))
    await service.owner.running(id)
    let isLate = true
    await page.route(/\/v1\/attacks\/active/, async (route) => {
      // The first is what the dialog shows: it does not come in time.
      if (!isLate) return await route.continue()
      isLate = false
    })
    await page.goto('/clients')
    await page.getByRole('button', { name: 'Halt all' }).click()
    const dialog = page.getByRole('dialog', { name: 'Halt all attacks of the team?' })
    await dialog.getByRole('button', { name: 'Halt the team' }).click()
    await page.getByText('Halting 1 attack on 1 host.').waitFor()
    expect((await service.owner.finished(id)).map(({ stage }) => stage)).toEqual(['UserHalted'])
    await page.unroute(/\/v1\/attacks\/active/)
  })

  test('the company is halted and new attacks are blocked, until somebody allows them again', async () => {
    const id = await service.owner.attack(cpuFor(60))
    await service.owner.running(id)
    await page.getByRole('button', { name: 'Halt all' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Attacks of all teams of Temblor').check()
    await dialog.getByLabel('Block new attacks in Temblor').check()
    await dialog.getByLabel('Reason').fill('the <b>shop</b> is down')
    await dialog.getByRole('button', { name: 'Halt the company' }).click()
    const notice = page
      .getByRole('status')
      .filter({ hasText: 'New attacks are blocked in Temblor' })
    await notice.getByText('the <b>shop</b> is down').waitFor()
    expect((await service.owner.finished(id)).map(({ stage }) => stage)).toEqual(['UserHalted'])
    expect(await axeViolations(page)).toEqual([])
    const refused = await service.owner.send('POST', '/attacks/new', { json: cpuFor(1) })
    expect(problem(refused).code).toBe('attacks_blocked')
    await notice.getByRole('button', { name: 'Allow attacks again' }).click()
    await notice.waitFor({ state: 'hidden' })
    await service.owner.finished(await service.owner.attack(cpuFor(1)))
  })

  test('nothing went against the policy, and no script failed', () => {
    expect(window.complaints).toEqual([])
  })
})
