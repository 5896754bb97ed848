import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import { browserSkipReason } from '../support/browser.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { until } from '../support/until.ts'
import { openWindow, signInByForm, startBrowser } from '../support/web-browser.ts'

/** Runs in the page: what it tells other tabs waits for `letGo()`, as when the machine is busy. */
const holdWords = `{
  const tell = BroadcastChannel.prototype.postMessage
  const held = []
  BroadcastChannel.prototype.postMessage = function (word) {
    held.push(() => tell.call(this, word))
  }
  globalThis.letGo = () => held.forEach((say) => say())
}`

describe.skipIf(browserSkipReason)('tabs beside each other', () => {
  let controller: TestController
  let company: Company
  let team: Team
  let browser: Browser

  beforeAll(async () => {
    ;[controller, browser] = await Promise.all([startTestController(), startBrowser()])
    company = await controller.store.companies.addCompany('Acme')
    team = await controller.store.companies.addTeam(company, 'Payments')
  })
  afterAll(async () => {
    await browser?.close()
    await controller?.[Symbol.asyncDispose]()
  })

  const member = async (name: string) => {
    const email = newEmail(name)
    await controller.add(company.id, { email, teams: { [team.id]: ['TEAM_USER'] } })
    return { email, password: personsPassword }
  }

  test('a tab that is opened beside is signed in, also when the other one says so late', async () => {
    const user = await member('beside')
    await using window = await openWindow(browser, controller.baseUrl)
    const { page } = window
    await page.goto('/')
    await signInByForm(page, user)
    await page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
    await page.evaluate(holdWords)
    const beside = await window.context.newPage()
    await beside.goto('/account')
    await beside.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.evaluate('letGo()')
    await beside.getByRole('cell', { name: user.email }).waitFor()
    expect(new URL(beside.url()).pathname).toBe('/account/profile')
  })

  test('a session that expires is renewed, also in a tab that was opened beside', async () => {
    await using short = await controller.further({ TEMBLOR_SESSION_SECONDS: '3' })
    await using other = await openWindow(browser, short.baseUrl)
    const user = await member('renewed')
    await other.page.goto('/')
    await signInByForm(other.page, user)
    await other.page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
    const first = await other.page.evaluate(() => sessionStorage.getItem('temblor.session'))
    const beside = await other.context.newPage()
    await beside.goto('/account')
    await beside.getByRole('cell', { name: user.email }).waitFor()
    const { expiresAt } = JSON.parse(first ?? '{}') as { expiresAt: string }
    await until('the first token has expired', async () => Date.now() > Date.parse(expiresAt))
    await beside.getByRole('link', { name: 'Clients' }).click()
    await beside.getByText('No hosts yet').waitFor()
    await other.page.getByRole('link', { name: 'Clients' }).click()
    await other.page.getByText('No hosts yet').waitFor()
    expect(await other.page.evaluate(() => sessionStorage.getItem('temblor.session'))).not.toEqual(
      first,
    )
    await beside.getByRole('button', { name: 'Sign out' }).click()
    await other.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })
})
