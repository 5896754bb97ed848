import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserSkipReason } from '../support/browser.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { addSamlCompany, requestIdIn, type SamlCompany } from '../support/saml-company.ts'
import { makeKey } from '../support/saml-idp.ts'
import { metadataOf } from '../support/saml-metadata.ts'
import {
  axeViolations,
  openWindow,
  signInByForm,
  startBrowser,
  type Window,
} from '../support/web-browser.ts'

describe.skipIf(browserSkipReason)('a company in the browser', () => {
  let controller: TestController
  let one: SamlCompany
  let browser: Browser
  let window: Window
  let page: Page
  let guest: Window
  const email = newEmail('eve')
  const password = 'a password of her own'
  beforeAll(async () => {
    ;[controller, browser] = await Promise.all([startTestController(), startBrowser()])
    one = await addSamlCompany(controller, 'Acme')
    ;[window, guest] = await Promise.all([
      openWindow(browser, controller.baseUrl),
      openWindow(browser, controller.baseUrl),
    ])
    page = window.page
  })
  afterAll(async () => {
    await browser?.close()
    await controller?.[Symbol.asyncDispose]()
  })

  const part = (name: string) =>
    page
      .getByRole('navigation', { name: 'Parts of Company' })
      .getByRole('link', { name, exact: true })
      .click()
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  const region = (name: string) => page.getByRole('region', { name, exact: true })

  test('an owner invites somebody, who accepts by the link and signs in', async () => {
    await page.goto('/company')
    await signInByForm(page, { email: one.admin.session.identifier, password: personsPassword })
    await page.getByRole('button', { name: 'Invite people' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email addresses').fill(one.admin.session.identifier)
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByText('is a user of the company already').waitFor()
    await dialog.getByLabel('Email addresses').press('Backspace')
    await dialog.getByLabel('Email addresses').fill(email)
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Team').selectOption('Payments')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await dialog.getByRole('region', { name: `Link for ${email}` }).textContent()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await row(email).getByText('Invited').waitFor()

    await guest.page.goto(link ?? '')
    await guest.page.getByLabel('Password').fill(password)
    await guest.page.getByLabel('The same again').fill(password)
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await guest.page.getByRole('heading', { name: 'You have joined' }).waitFor()
    await guest.page.goto('/team')
    await signInByForm(guest.page, { email, password })
    await guest.page.getByRole('row').filter({ hasText: email }).getByText('User').waitFor()
    expect(await guest.page.getByRole('button', { name: 'Add people' }).count()).toBe(0)
  })

  test('who may not look is told which privilege that takes', async () => {
    await guest.page.goto('/company/audit')
    await guest.page.getByText('SECURITY_REPORTS_READ').waitFor()
    expect(await guest.page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
    await guest.page.goto('/company')
    await guest.page.getByText('COMPANY_USERS_READ').waitFor()
  })

  test('roles that are given and taken act at once', async () => {
    await page.reload()
    await page.getByRole('link', { name: email }).click()
    await page.getByLabel('Coordinator').check()
    await page.getByRole('button', { name: 'Save the roles' }).click()
    await page.getByText('The roles are saved.').waitFor()
    await guest.page.reload()
    await guest.page.getByRole('link', { name: email }).waitFor()

    await region('Teams')
      .getByRole('button', { name: `Remove ${email}` })
      .click()
    await page
      .getByRole('dialog', { name: `Take ${email} out of Payments?` })
      .getByRole('button', { name: 'Take out' })
      .click()
    await region('Teams').getByText('None yet.').waitFor()
    await guest.page.goto('/team')
    await guest.page.getByText('You are in no team yet').waitFor()

    await page.getByRole('button', { name: 'Revoke the access …' }).click()
    await page
      .getByRole('dialog', { name: `Revoke the access of ${email}?` })
      .getByRole('button', { name: 'Revoke it' })
      .click()
    await page.getByRole('button', { name: 'Give the access back' }).waitFor()
    await guest.page.reload()
    await guest.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.getByRole('button', { name: 'Give the access back' }).click()
    await page.getByRole('button', { name: 'Revoke the access …' }).waitFor()
    await signInByForm(guest.page, { email, password })
    await guest.page.getByText('You are in no team yet').waitFor()
    expect(await one.placeOf(email)).toEqual({
      roles: ['COMPANY_USER', 'COMPANY_COORDINATOR'],
      teams: {},
    })
  })

  test('a team is made, and looked after without being in it', async () => {
    await part('Teams')
    await page.getByRole('button', { name: 'New team' }).click()
    const dialog = page.getByRole('dialog', { name: 'New team' })
    await dialog.getByLabel('Name').fill('Payments')
    await dialog.getByLabel('I am in it myself').uncheck()
    await dialog.getByRole('button', { name: 'Make the team' }).click()
    await dialog.getByText('Payments').last().waitFor()
    await dialog.getByLabel('Name').fill('Search')
    await dialog.getByRole('button', { name: 'Make the team' }).click()
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByText('Nobody is in this team yet').waitFor()
    await page.getByRole('button', { name: 'Delete …' }).click()
    const danger = page.getByRole('dialog', { name: 'Delete Search with 0 hosts?' })
    await danger.getByLabel('Type the name of the team').fill('Search')
    await danger.getByRole('button', { name: 'Delete the team' }).click()
    await page.getByRole('button', { name: 'New team' }).waitFor()
    await page.getByRole('link', { name: 'Search' }).waitFor({ state: 'detached' })
    const teams = await controller.store.companies.listTeams(one.company.id)
    expect(teams.map(({ name }) => name)).toEqual(['Payments'])
  })

  test('a preference is changed; the one that would lock everybody out is refused', async () => {
    await part('Security')
    const save = page.getByRole('button', { name: 'Save the preferences' })
    await page.getByRole('switch', { name: 'Password' }).click()
    await save.click()
    await page
      .getByText(/lock|owner/i)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'As they were' }).click()
    await page.getByRole('switch', { name: 'Every new key expires' }).click()
    await page.getByLabel('Days until a new key expires').fill('30')
    await save.click()
    await page.getByText('The preferences are saved.').waitFor()
    expect(await controller.store.authPreferences.read(one.company.id)).toMatchObject({
      passwordEnabled: true,
      apiKeysMaxSecondsToExpireEnabled: true,
      apiKeysMaxSecondsToExpire: 30 * 86_400,
    })
  })

  test('domains are claimed, and a public provider that there is none of cannot be tried', async () => {
    const domains = region('Domains of the company')
    await domains.getByLabel('Domains').fill('example.org, not a domain')
    await domains.getByRole('button', { name: 'Save the domains' }).click()
    await domains.getByText('not a domain').waitFor()
    await domains.getByLabel('Domains').fill('example.org, example.net')
    await domains.getByRole('button', { name: 'Save the domains' }).click()
    await page.getByText('The domains are saved.').waitFor()
    const { domains: saved } = await one.admin.get<{ domains: string[] }>(
      `/companies/${one.company.id}`,
    )
    expect(saved).toEqual(['example.org', 'example.net'])
    const tried = region('Try the public provider')
    await tried.getByRole('button', { name: 'Begin a test sign-in' }).click()
    await tried.getByText('the company has no such provider').waitFor()
  })

  test('SAML: metadata with the next certificate, a test sign-in that changes nothing', async () => {
    await part('SAML')
    const next = await makeKey('CN=Next')
    const xml = metadataOf(one.key, { entityId: one.issuer, more: [next] })
    await page.getByLabel('Metadata of the provider').fill(xml.slice(0, 200))
    await page.getByRole('button', { name: 'Read the metadata' }).click()
    await region('The identity provider').getByRole('alert').waitFor()
    await page.getByLabel('Metadata of the provider').fill(xml)
    await page.getByRole('button', { name: 'Read the metadata' }).click()
    await row('CN=Next').waitFor()
    await page.getByRole('button', { name: 'Save the provider' }).click()
    await page.getByText('The identity provider is saved.').waitFor()
    expect(await page.getByLabel('Certificates', { exact: false }).first().inputValue()).toContain(
      next.certificate.split('\n')[1],
    )

    // The provider answers with the next key already.
    await page.route('https://idp.example/**', async (route) => {
      const url = new URL(route.request().url())
      const inResponseTo = requestIdIn(url)
      const claims = { 'company:roles': ['COMPANY_ADMIN'] }
      const response = one.build(
        { email: newEmail('new'), inResponseTo, claims } as never,
        {},
        next,
      )
      const fields = {
        SAMLResponse: Buffer.from(response).toString('base64'),
        RelayState: url.searchParams.get('RelayState') ?? '',
      }
      const inputs = Object.entries(fields).map(
        ([name, value]) => `<input name="${name}" value="${value}">`,
      )
      const body = `<form method="post" action="${one.acs}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`
      await route.fulfill({ contentType: 'text/html', body })
    })
    await page.getByRole('button', { name: 'Begin a test sign-in' }).click()
    await page.getByText('Passed: this sign-in would have worked').waitFor()
    await region('Try it').getByText('Would become a user').waitFor()
    expect(new URL(page.url()).pathname).toBe('/company/saml')
    await aliasesOfRoles()
    await part('Sign-ins')
    await page.getByText('No sign-in was refused').waitFor()
  })

  const aliasesOfRoles = async () => {
    const aliases = region('Aliases of roles')
    await aliases.getByText('None yet.').waitFor()
    await aliases.getByRole('button', { name: 'New alias' }).click()
    const dialog = page.getByRole('dialog', { name: 'New alias' })
    await dialog.getByLabel('Value of the claim').fill('COMPANY_ADMIN')
    await dialog.getByRole('button', { name: 'Make the alias' }).click()
    await dialog.getByText('what is no role').waitFor()
    await dialog.getByLabel('Value of the claim').fill('<b>sre</b>/1')
    await dialog.getByLabel('Manager', { exact: true }).check()
    await dialog.getByLabel('Roles in one more team').selectOption('Payments')
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Make the alias' }).click()
    await row('<b>sre</b>/1').getByText('Manager in the company; User in Payments').waitFor()
    await page.getByRole('button', { name: 'Change the alias <b>sre</b>/1' }).click()
    const change = page.getByRole('dialog', { name: 'Change the alias <b>sre</b>/1' })
    await change.getByLabel('Manager', { exact: true }).first().uncheck()
    await change.getByRole('button', { name: 'Save the alias' }).click()
    await row('<b>sre</b>/1').getByText('User in Payments', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove the alias <b>sre</b>/1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click()
    await aliases.getByText('None yet.').waitFor()
  }

  test('OAuth: what is wrong is said at its field, and the secret is told to nobody', async () => {
    await part('OAuth')
    const form = region('The provider')
    await form.getByLabel('Authorization address').fill('ftp://idp.example/authorize')
    await form.getByLabel('Token address').fill('https://idp.example/token')
    await form.getByLabel('User info address').fill('https://idp.example/me')
    await form.getByLabel('Client id').fill('temblor')
    await form.locator('input[name="clientSecret"]').fill('not to be told')
    await form.getByRole('button', { name: 'Save the provider' }).click()
    await form.getByText('authorizationUri').waitFor()
    await form.getByLabel('Authorization address').fill('https://idp.example/authorize')
    await form.getByLabel('Further redirect addresses').fill('javascript:alert(1)')
    await form.getByRole('button', { name: 'Save the provider' }).click()
    await form.getByText('redirectUris').waitFor()
    await form.getByLabel('Further redirect addresses').fill('https://ci.example/back')
    await form.getByRole('button', { name: 'Save the provider' }).click()
    await page.getByText('The provider is saved.').waitFor()
    await page.getByRole('button', { name: 'Begin a test sign-in', disabled: false }).waitFor()
    expect(await form.locator('input[name="clientSecret"]').inputValue()).toBe('')
    const { oauthSettings } = await one.admin.get<{ oauthSettings: Record<string, unknown> }>(
      `/companies/${one.company.id}`,
    )
    expect(oauthSettings).toMatchObject({
      authorizationUri: 'https://idp.example/authorize',
      clientSecret: null,
      enabled: false,
      redirectUris: ['https://ci.example/back'],
      acceptsForeignTokens: false,
    })
  })

  test('the audit shows all that, by filters in the address, and is exported', async () => {
    await part('Audit')
    await row('company.sso-test').waitFor()
    await page.getByLabel('Action').selectOption('invitation.accept')
    await page.waitForURL(/\?(.*&)?action=invitation\.accept/)
    await row('company.sso-test').waitFor({ state: 'detached' })
    await row('invitation.accept').getByText(email).first().waitFor()
    await page.getByLabel('Action').selectOption('user.')
    await page.getByLabel('Who').fill(one.admin.session.identifier)
    await page.keyboard.press('Enter')
    await row('user.revoke').getByText(email).waitFor()
    await page.getByText('invitation.accept', { exact: true }).last().waitFor({ state: 'hidden' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export all of it' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    const actions = lines.map((line) => (JSON.parse(line) as { action: string }).action)
    expect(actions).toEqual(expect.arrayContaining(['invitation.accept', 'user.revoke']))
  })

  test('nothing went against the policy, and no script failed', () => {
    expect([window.complaints, guest.complaints]).toEqual([[], []])
  })
})
