import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseJoinLine } from '../../shared/join-line.ts'
import { browserSkipReason } from '../support/browser.ts'
import { personsPassword, startTestController, type TestController } from '../support/in-process.ts'
import {
  axeViolations,
  openWindow,
  signInByForm,
  startBrowser,
  type Window,
} from '../support/web-browser.ts'

const manager = 'mia@example.com'
/** Whoever is called so shall be shown, and nothing else shall happen. */
const hostile = '<script>alert(1)</script>'

describe.skipIf(browserSkipReason)('a team in the browser', () => {
  let controller: TestController
  let browser: Browser
  let window: Window
  let page: Page
  let teamId = ''
  beforeAll(async () => {
    ;[controller, browser] = await Promise.all([startTestController(), startBrowser()])
    const { store } = controller
    const company = await store.companies.addCompany('Example Ltd')
    const team = await store.companies.addTeam(company, 'Payments')
    teamId = team.id
    await controller.add(company.id, { email: manager, teams: { [team.id]: ['TEAM_MANAGER'] } })
    const zed = await controller.add(company.id, { email: 'zed@example.com' })
    await store.users.setName(zed, { first: hostile, last: '\u202Egnp.exe' })
    window = await openWindow(browser, controller.baseUrl)
    page = window.page
    await page.goto('/team')
    await signInByForm(page, { email: manager, password: personsPassword })
  })
  afterAll(async () => {
    await browser?.close()
    await controller?.[Symbol.asyncDispose]()
  })

  const part = (name: string) =>
    page.getByRole('navigation', { name: 'Parts of Team' }).getByRole('link', { name }).click()
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })

  test('a manager adds somebody, who is shown as text, and sees which roles they may not give', async () => {
    await row(manager).getByText('Manager').waitFor()
    await page.getByRole('button', { name: 'Add people' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add people to Payments' })
    await dialog.getByLabel('Email addresses').fill('nobody@example.com')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Add as user' }).click()
    await dialog.getByText('no active user of the company').waitFor()
    await dialog.getByLabel('Email addresses').press('Backspace')
    await dialog.getByLabel('Email addresses').fill('zed@example.com')
    await page.keyboard.press('Enter')
    expect(await dialog.getByLabel('Manager', { exact: true }).isDisabled()).toBe(true)
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByLabel('Viewer', { exact: true }).check()
    await dialog.getByRole('button', { name: 'Add as user, viewer' }).click()
    await row('zed@example.com').getByText('User, Viewer').waitFor()
    expect(await row('zed@example.com').textContent()).toContain(hostile)
  })

  test('other roles, and out of the team', async () => {
    await page.getByRole('button', { name: 'Roles of zed@example.com' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roles of zed@example.com in Payments' })
    await dialog.getByLabel('User', { exact: true }).uncheck()
    await dialog.getByRole('button', { name: 'Save the roles' }).click()
    await row('zed@example.com').getByText('Viewer', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove zed@example.com' }).click()
    await page
      .getByRole('dialog', { name: 'Take zed@example.com out of Payments?' })
      .getByRole('button', { name: 'Take out' })
      .click()
    await row('zed@example.com').waitFor({ state: 'detached' })
    expect(await row(manager).count()).toBe(1)
  })

  test('the secret is shown when it is asked for, and another joins from then on', async () => {
    await part('Joining hosts')
    await page.getByRole('button', { name: 'Show the join line' }).click()
    const line = () => page.getByRole('region', { name: 'Join line' }).textContent()
    const before = parseJoinLine((await line()) ?? '')
    expect(before.teamId).toBe(teamId)
    await page.getByRole('button', { name: 'Replace the secret' }).click()
    await page
      .getByRole('dialog', { name: 'Replace the secret of Payments?' })
      .getByRole('button', { name: 'Replace it' })
      .click()
    await page.getByText(`by ${manager}`).waitFor()
    const after = parseJoinLine((await line()) ?? '')
    expect({ ...after, secret: '' }).toEqual({ ...before, secret: '' })
    expect(after.secret).not.toBe(before.secret)
  })

  test('it is renamed, everywhere at once', async () => {
    await part('Settings')
    await page.getByLabel('Name of the team').fill('a;b')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('none of').waitFor()
    await page.getByLabel('Name of the team').fill('Checkout')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('The team is renamed.').waitFor()
    await page.getByRole('banner').getByText('Example Ltd / Checkout').waitFor()
    expect((await controller.store.teams.list((await companyOf()) ?? ''))[0]?.name).toBe('Checkout')
  })

  const companyOf = async () => {
    const user = await controller.store.users.findByEmail(manager)
    return (await controller.store.users.companiesOf(user?.id ?? ''))[0]
  }

  test('nothing went against the policy, and no script failed', () => {
    expect(window.complaints).toEqual([])
  })
})
