import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserSkipReason } from '../support/browser.ts'
import { request } from '../support/http.ts'
import { personsPassword, startTestController, type TestController } from '../support/in-process.ts'
import { codeOf } from '../support/mfa.ts'
import {
  axeViolations,
  openWindow,
  signInByForm,
  startBrowser,
  type Window,
} from '../support/web-browser.ts'

const email = 'ann@example.com'

/** Waits until a session that has ended is turned away. The page may have noticed by itself: then its links are gone. */
async function turnedAway({ page }: Window): Promise<void> {
  await page.goto('/account/keys')
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
}

describe.skipIf(browserSkipReason)('one’s own account in the browser', () => {
  let controller: TestController
  let browser: Browser
  let window: Window
  let page: Page
  let seed = ''
  let recoveryCode = ''
  beforeAll(async () => {
    ;[controller, browser] = await Promise.all([startTestController(), startBrowser()])
    const company = await controller.store.companies.addCompany('Example Ltd')
    const team = await controller.store.companies.addTeam(company, 'Payments')
    await controller.add(company.id, { email, teams: { [team.id]: ['TEAM_USER'] } })
    window = await openWindow(browser, controller.baseUrl)
    page = window.page
  })
  afterAll(async () => {
    await browser?.close()
    await controller?.[Symbol.asyncDispose]()
  })

  const part = (name: string) => page.getByRole('link', { name, exact: true }).click()
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  const statusWith = async (key: string) => {
    const headers = { authorization: `Key ${key}` }
    return (await request(controller.baseUrl, 'GET', '/v1/users/self', { headers })).status
  }

  test('a second factor is set up with a QR code, a code and recovery codes', async () => {
    await page.goto('/account')
    await signInByForm(page, { email, password: personsPassword })
    await part('Second factor')
    await page.getByText('Leaves it to you').waitFor()
    await page.locator('input[name="password"]').fill('not it at all')
    await page.getByRole('button', { name: 'Set up an authenticator' }).click()
    await page.getByText('This is not your password.').waitFor()
    await page.locator('input[name="password"]').fill(personsPassword)
    await page.getByRole('button', { name: 'Set up an authenticator' }).click()
    await page.getByRole('img', { name: 'QR code with the secret' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    seed = (await region('Secret').textContent()) ?? ''
    await page.getByLabel('The code that it shows').fill(codeOf(seed))
    await page.getByRole('button', { name: 'Switch it on' }).click()
    const codes = (await region('Recovery codes').locator('pre,code').last().textContent()) ?? ''
    expect(codes.split('\n')).toHaveLength(10)
    recoveryCode = codes.split('\n')[0] ?? ''
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('10 recovery codes').waitFor()
  })

  test('the next sign-in asks for it, and a recovery code switches it off', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInByForm(page, { email, password: personsPassword })
    await page.getByRole('heading', { level: 1, name: 'Second factor' }).waitFor()
    await page.getByLabel('Code').fill(codeOf(seed, 1))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 2, name: 'Second factor' }).waitFor()

    await page.getByRole('button', { name: 'Switch off …' }).click()
    const dialog = page.getByRole('dialog', { name: `Switch off the second factor of ${email}?` })
    await dialog.getByLabel('Password', { exact: true }).fill(personsPassword)
    await dialog.getByLabel('Code').fill('000000')
    await dialog.getByRole('button', { name: 'Switch it off' }).click()
    await dialog.getByText('do not belong together').waitFor()
    await dialog.getByLabel('Code').fill(recoveryCode)
    await dialog.getByRole('button', { name: 'Switch it off' }).click()
    await signInByForm(page, { email, password: personsPassword })
    await page.getByText('Leaves it to you').waitFor()
    const enrolled = await controller.store.users.findByEmail(email)
    expect(await controller.store.mfa.isOn(enrolled?.id ?? '')).toBe(false)
  })

  test('a key is shown once, works, is refused once revoked, and works when it is reinstated', async () => {
    await part('API keys')
    await page.getByText('No keys yet').waitFor()
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('no/slashes')
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    await dialog.getByText('identifier cannot be "no/slashes"').waitFor()
    await dialog.getByLabel('Name').fill('nightly')
    await dialog.getByLabel('Expires').selectOption('In 30 days')
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    const key = (await dialog.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? ''
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    const row = page.getByRole('row').filter({ hasText: 'nightly' })
    await row.getByText('Active').waitFor()
    await row.getByText('in 29 days').waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await statusWith(key)).toBe(200)

    await page.getByRole('button', { name: 'Revoke nightly' }).click()
    await page
      .getByRole('dialog', { name: 'Revoke the key nightly?' })
      .getByRole('button', { name: 'Revoke it' })
      .click()
    await row.getByText('Revoked').waitFor()
    expect(await statusWith(key)).toBe(401)
    await page.getByRole('button', { name: 'Reinstate nightly' }).click()
    await row.getByText('Active').waitFor()
    expect(await statusWith(key)).toBe(200)
  })

  test('another session is named, ended, and turned away; all others at once', async () => {
    const open = async (scheme: 'light' | 'dark', width: number) => {
      const other = await openWindow(browser, controller.baseUrl, { scheme, width })
      await other.page.goto('/account/sessions')
      await signInByForm(other.page, { email, password: personsPassword })
      await other.page.getByRole('region', { name: 'Other sessions', exact: true }).waitFor()
      return other
    }
    await using other = await open('light', 1280)
    await part('Sessions')
    const end = page.getByRole('button', { name: 'End the session with Chrome on Linux from 127' })
    await end.first().waitFor()
    expect(await axeViolations(page)).toEqual([])
    await end.first().focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'End the session with Chrome on Linux' })
    await dialog.getByText('turned away').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'End it' }).press('Enter')
    await page.getByText('has ended.').waitFor()
    await turnedAway(other)

    await using narrow = await open('dark', 390)
    expect(await axeViolations(narrow.page)).toEqual([])
    await narrow.page.getByRole('button', { name: 'End all others' }).click()
    await narrow.page
      .getByRole('dialog')
      .getByRole('button', { name: /^End \d/ })
      .click()
    await narrow.page.getByText('You are signed in nowhere else.').waitFor()
    await page.reload()
    await signInByForm(page, { email, password: personsPassword })
    await page.getByRole('heading', { level: 2, name: 'Sessions' }).waitFor()
  })

  test('another password ends all sessions but this one', async () => {
    const other = await openWindow(browser, controller.baseUrl)
    await other.page.goto('/account/sessions')
    await signInByForm(other.page, { email, password: personsPassword })
    await other.page.getByRole('region', { name: 'This session' }).getByText('Payments').waitFor()
    await part('Profile')
    const change = async (current: string, next: string, repeated = next) => {
      await page.getByLabel('Current password').first().fill(current)
      await page.getByLabel('New password').first().fill(next)
      await page.getByLabel('The new one again').first().fill(repeated)
      await page.getByRole('button', { name: 'Change the password' }).click()
    }
    const next = 'another good long password'
    await change(personsPassword, next, 'something else entirely')
    await page.getByText('The two new passwords differ.').waitFor()
    await change('not it at all', next)
    await page.getByText('This is not your password.').waitFor()
    await change(personsPassword, 'short')
    await page.getByText('newPassword cannot be').waitFor()
    await change(personsPassword, next)
    await page.getByText('All other sessions have ended.').waitFor()
    await turnedAway(other)
    await part('Sessions')
    await page.getByRole('region', { name: 'This session' }).getByText('Payments').waitFor()
    expect(other.complaints).toEqual([])
    await other[Symbol.asyncDispose]()
  })

  test('nothing went against the policy, and no script failed', () => {
    expect(window.complaints).toEqual([])
  })
})
