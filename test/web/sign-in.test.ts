import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import type { Invitation } from '../../shared/api/invitations.ts'
import { browserSkipReason } from '../support/browser.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { codeOf, giveSecondFactor } from '../support/mfa.ts'
import { linkIn, startMailServer } from '../support/mail-server.ts'
import { addSamlCompany } from '../support/saml-company.ts'
import { startIdpServer } from '../support/saml-idp-server.ts'
import { axeViolations, openWindow, signInByForm, startBrowser } from '../support/web-browser.ts'
import type { Window } from '../support/web-browser.ts'

describe.skipIf(browserSkipReason)('signing in with a browser', () => {
  let controller: TestController
  let company: Company
  let team: Team
  let browser: Browser
  let window: Window
  let page: Page

  beforeAll(async () => {
    ;[controller, browser] = await Promise.all([startTestController(), startBrowser()])
    company = await controller.store.companies.addCompany('Acme')
    team = await controller.store.companies.addTeam(company, 'Payments')
  })
  afterAll(async () => {
    await browser?.close()
    await controller?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    window = await openWindow(browser, controller.baseUrl)
    page = window.page
  })
  afterEach(() => window[Symbol.asyncDispose]())

  const member = async (name: string) => {
    const email = newEmail(name)
    const userId = await controller.add(company.id, { email, teams: { [team.id]: ['TEAM_USER'] } })
    return { email, password: personsPassword, userId }
  }
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  const arrived = () => heading('Attacks').waitFor()

  test('with a second factor: a wrong code, then a right one', async () => {
    const user = await member('factor')
    const seed = await giveSecondFactor(controller.store, user.userId)
    await page.goto('/')
    await signInByForm(page, user)
    await heading('Second factor').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByLabel('Code').fill('000000')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code').fill(codeOf(seed))
    await page.keyboard.press('Enter')
    await arrived()
    expect(new URL(page.url()).pathname).toBe('/attacks')
  })

  test('where a second factor is required: the QR code, recovery codes, then one of these', async () => {
    const strict = await controller.store.companies.addCompany('Strict')
    await controller.store.signInSettings.change(strict.id, (now) => ({
      ...now,
      preferences: { ...now.preferences, mfaRequired: true },
    }))
    const user = { email: newEmail('new'), password: personsPassword }
    await controller.add(strict.id, user)
    await page.goto('/')
    await signInByForm(page, user)
    await heading('Set up a second factor').waitFor()
    const image = page.getByRole('img', { name: 'QR code' })
    await image.waitFor()
    expect(
      await image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(100)
    expect(await axeViolations(page)).toEqual([])
    const seed = await page.getByRole('region', { name: 'Secret' }).textContent()
    await page.getByLabel('The code that it shows').fill(codeOf(seed ?? ''))
    await page.keyboard.press('Enter')
    const codes = await page.getByRole('region', { name: 'Recovery codes' }).textContent()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'sign in' }).click()
    await arrived()
    await page.getByText('You are in no team yet').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInByForm(page, user)
    await page.getByLabel('Code').fill(codes?.split('\n')[0] ?? '')
    await page.keyboard.press('Enter')
    await arrived()
  })

  test('where nobody is yet: the code in the log makes the first owner', async () => {
    const log: string[] = []
    await using fresh = await startTestController({}, (line) => void log.push(line))
    await using first = await openWindow(browser, fresh.baseUrl)
    await first.page.goto('/')
    await first.page.getByRole('heading', { level: 1, name: 'Make the first owner' }).waitFor()
    expect(await axeViolations(first.page)).toEqual([])
    const [, code] = /"code":"([^"]+)"/.exec(log.join('')) ?? []
    const fields = { code: 'wrong', company: 'Acme', email: newEmail('first') }
    for (const [name, value] of Object.entries(fields))
      await first.page.locator(`input[name="${name}"]`).fill(value)
    for (const name of ['password', 'repeated'])
      await first.page.locator(`input[name="${name}"]`).fill(personsPassword)
    await first.page.keyboard.press('Enter')
    await first.page.getByRole('alert').waitFor()
    await first.page.getByLabel('Code').fill(code ?? '')
    await first.page.keyboard.press('Enter')
    await first.page.getByText('No attacks yet').waitFor()
  })

  test('with SAML, from the button to the page that was asked for', async () => {
    const saml = await addSamlCompany(controller, 'Saml')
    const email = newEmail('saml')
    await using provider = await startIdpServer(
      () => saml,
      () => email,
    )
    await saml.configure({ idpUrl: provider.ssoUrl, idpInitiated: 'false' })
    await controller.add(saml.company.id, { email, teams: { [saml.team.id]: ['TEAM_VIEWER'] } })
    await page.goto('/team')
    await page.getByLabel('Company').fill(saml.company.name)
    await page.getByRole('link', { name: 'Sign in with SAML' }).click()
    await heading('Team').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('cell', { name: email }).first().waitFor()

    await page.goto('/users/sso/saml/acs?SamlSessionCode=stolen&destination=%2F%2Fevil.example')
    await page.getByRole('alert').getByText('refused').waitFor()
    expect(new URL(page.url()).search).toBe('')

    // The company lets no provider begin: a page in plain words, and the way back.
    await using other = await openWindow(browser, controller.baseUrl)
    await other.page.goto(provider.appsUrl)
    await other.page.getByRole('heading', { level: 1, name: 'You are not signed in' }).waitFor()
    expect(await axeViolations(other.page)).toEqual([])
    expect(await other.page.content()).not.toContain(email)
    await other.page.getByRole('link', { name: 'Back to the sign-in' }).click()
    await other.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })

  test('who is in several companies and teams says which; the team is part of the address', async () => {
    const user = await member('several')
    const other = await controller.store.companies.addCompany('Beta')
    const [red, blue] = [
      await controller.store.companies.addTeam(other, 'Red'),
      await controller.store.companies.addTeam(other, 'Blue'),
    ]
    await controller.add(other.id, {
      ...user,
      teams: { [red.id]: ['TEAM_USER'], [blue.id]: ['TEAM_VIEWER'] },
    })
    await page.goto('/sign-in')
    await signInByForm(page, user)
    await heading('Which company?').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Beta' }).click()
    await heading('Which team?').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Blue' }).click()
    await arrived()
    await page.waitForURL((url) => url.searchParams.get('team') === blue.id)
    await page.getByRole('button', { name: 'Halt all' }).waitFor({ state: 'hidden' })
    await page.getByLabel('Team', { exact: true }).selectOption('Red')
    await page.getByRole('button', { name: 'Halt all' }).waitFor()
    await page.getByRole('link', { name: 'Team', exact: true }).click()
    await page.getByRole('cell', { name: 'User', exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('team')).toBe(red.id)
  })

  /** Fills in both fields of a password and sends them by keyboard. */
  const choose = async (password: string, repeated = password) => {
    await page.locator('input[name="password"]').fill(password)
    await page.locator('input[name="repeated"]').fill(repeated)
    await page.keyboard.press('Enter')
  }

  test('who was invited joins by the link, once, and signs in', async () => {
    const manager = await controller.join(company, {
      email: newEmail('manager'),
      roles: ['COMPANY_MANAGER'],
    })
    const email = newEmail('invited')
    const made = await manager.send('POST', '/users/invite', { form: { email } })
    const link = (made.json as Invitation).accept_url ?? ''
    await page.goto(link.replace(/&code=.*/, ''))
    await page.getByRole('alert').getByText('not whole').waitFor()
    // In the same tab: nothing but what stands behind the # changes.
    await page.goto(link)
    await page.getByRole('textbox', { name: 'Email address' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    expect(await page.getByLabel('Email address').inputValue()).toBe(email)
    await choose(personsPassword, 'mistyped')
    await page.getByRole('alert').getByText('differ').waitFor()
    await choose('short')
    await page.getByText('Allowed: at least 12').waitFor()
    await choose(personsPassword)
    await heading('You have joined').waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signInByForm(page, { email, password: personsPassword })
    await page.getByText('You are in no team yet').waitFor()

    await page.goto(link)
    await choose('another long password')
    await page.getByRole('alert').getByText('ask whoever invited you').waitFor()
    const markup = '<img src=x onerror=document.title="owned">'
    // In the same tab, where the address of before still stands for a moment.
    await page.goto(`/invitation#company=x&email=${encodeURIComponent(markup)}&code=x`)
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe(markup)
    expect(await page.title()).toBe('Join Temblor · Temblor')
  })

  test('who forgot the password gets a link that is good once', async () => {
    await using mail = await startMailServer()
    await using mailing = await controller.further({
      TEMBLOR_PUBLIC_URL: 'http://temblor.example.org',
      TEMBLOR_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      TEMBLOR_MAIL_FROM: 'temblor@example.org',
    })
    const user = await member('forgetful')
    await page.goto(`${mailing.baseUrl}/attacks`)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await heading('Forgot your password?').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByLabel('Email address').fill(user.email)
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText(`If ${user.email} has a user`).waitFor()
    const mailed = linkIn(await mail.mailTo(user.email))
    const link = mailed.replace('http://temblor.example.org', mailing.baseUrl)
    await page.goto(link)
    await heading('New password').waitFor()
    expect(await axeViolations(page)).toEqual([])
    const next = 'a password of their own'
    await choose(next)
    await heading('The new password is set').waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signInByForm(page, { ...user, password: next })
    await arrived()

    await page.goto(link)
    await choose(next)
    await page.getByRole('alert').getByText('does not work any more').waitFor()
    await page.getByRole('link', { name: 'Ask for a new link' }).click()
    await heading('Forgot your password?').waitFor()
  })

  test('a session that was ended leads to the sign-in, and back to the page afterwards', async () => {
    const user = await member('ended')
    await page.goto('/company')
    await signInByForm(page, user)
    await heading('Company').waitFor()
    const kept = await page.evaluate(() => sessionStorage.getItem('temblor.session'))
    const { authorization } = JSON.parse(kept ?? '{}') as { authorization: string }
    // Whoever else has the token ends the session with it.
    const headers = { authorization }
    const ended = await request(controller.baseUrl, 'DELETE', '/v1/users/auth', { headers })
    expect(ended.status).toBe(200)
    await page.getByRole('link', { name: 'Clients' }).click()
    await heading('Sign in').waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('temblor.session'))).toBeNull()
    await signInByForm(page, user)
    await heading('Clients').waitFor()
  })

  test('a token that is made up leads to the sign-in and is forgotten', async () => {
    await page.goto('/sign-in')
    await page.evaluate(() => {
      const forged = {
        authorization: 'Bearer 11111111-1111-4111-8111-111111111111',
        email: 'somebody@example.com',
        companyId: '11111111-1111-4111-8111-111111111111',
        renewToken: '11111111-1111-4111-8111-111111111111',
        renewalKey: 'x',
        renewFromMs: Date.now() + 1e6,
      }
      sessionStorage.setItem('temblor.session', JSON.stringify(forged))
    })
    await page.goto('/attacks')
    await heading('Sign in').waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('temblor.session'))).toBeNull()
  })
})
