import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '../support/api.ts'
import { browserSkipReason } from '../support/browser.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { until } from '../support/until.ts'
import { axeViolations, openWindow, signInByForm, startBrowser } from '../support/web-browser.ts'

const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
const rightToLeft = '\u202Eenil siht\u2066 שלום'
const endless = 'x'.repeat(10_000)

/** Every page; `:attack`, `:user` and `:team` stand for one that there is. */
const pages = [
  '/attacks',
  '/attacks?text=nobody+has+this',
  '/attacks/:attack',
  '/attacks/new',
  '/clients',
  `/clients/host?id=${encodeURIComponent(`web-1 ${markup}`)}`,
  '/team/members',
  '/team/hosts',
  '/team/keys',
  '/team/settings',
  '/company/users',
  '/company/users/:user',
  '/company/teams',
  '/company/teams/:team',
  '/company/settings',
  '/company/security',
  '/company/saml',
  '/company/oauth',
  '/company/sign-ins',
  '/company/audit',
  '/account/profile',
  '/account/second-factor',
  '/account/sessions',
  '/account/keys',
  '/there-is-no-such-page',
]

interface Found {
  readonly title: string
  readonly foreign: number
  readonly isTooWide: boolean
}

/** Runs in the page. */
const look = `({
  title: document.title,
  foreign: document.querySelectorAll('img[onerror], main b, main script').length,
  isTooWide: document.documentElement.scrollWidth > innerWidth,
})`

describe.skipIf(browserSkipReason)('every page, with hostile names', () => {
  let controller: TestController
  let browser: Browser
  let attack: string
  let teamId: string
  const user = { email: newEmail('everything'), password: personsPassword }

  beforeAll(async () => {
    ;[controller, browser] = await Promise.all([startTestController(), startBrowser()])
    const { companies, hosts } = controller.store
    const company = await companies.addCompany(
      `Acme ${markup.replaceAll(/[;,|]/g, '')}`.slice(0, 100),
    )
    const team = await companies.addTeam(company, `${rightToLeft} <b>${'y'.repeat(60)}`)
    teamId = team.id
    const inventory = {
      tags: { [markup]: rightToLeft, long: endless, hostname: markup },
      containers: [
        {
          id: 'c'.repeat(64),
          name: markup,
          image: endless,
          state: 'running',
          labels: { [rightToLeft]: endless, app: markup },
          protected: false,
        },
      ],
      capabilities: [],
      limits: null,
      facts: null,
    }
    for (const identifier of [`web-1 ${markup}`, rightToLeft, endless.slice(0, 250)])
      await hosts.claim(
        team.id,
        {
          identifier,
          instanceId: identifier,
          bootId: identifier,
          version: '1',
          address: '10.0.0.1:5',
          inventory,
        },
        60_000,
      )
    const userId = await controller.add(company.id, {
      email: user.email,
      roles: ['COMPANY_OWNER'],
      teams: { [team.id]: ['TEAM_MANAGER'] },
    })
    const long = endless.slice(0, 100)
    await controller.store.users.setName(userId, { first: markup.slice(0, 100), last: long })
    const api = await signIn(controller.baseUrl, user)
    const key = { identifier: long, description: `${markup} ${rightToLeft} ${long}` }
    await api.send('POST', '/apikeys', { json: key })
    const target = { type: 'Random', exact: 3 }
    attack = await api.attack({ command: { type: 'cpu', args: ['-l', '60'] }, target })
    const why = { reason: `${markup} ${rightToLeft} ${endless}`.slice(0, 1000) }
    await api.send('POST', `/attacks/${attack}/halt`, { json: why })
  })
  afterAll(async () => {
    await browser?.close()
    await controller?.[Symbol.asyncDispose]()
  })

  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('is read by everybody: %s, %d pixels wide', async (scheme, width) => {
    await using window = await openWindow(browser, controller.baseUrl, { scheme, width })
    const { page } = window
    await page.goto('/')
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await signInByForm(page, user)
    await page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
    for (const path of pages) {
      await page.goto(
        path.replace(':attack', attack).replace(':user', user.email).replace(':team', teamId),
      )
      await page.getByRole('heading').first().waitFor()
      await until('it is loaded', async () => (await page.getByText(/^Loading /).count()) === 0)
      const found = await page.evaluate<Found>(look)
      expect({ path, ...found, axe: await axeViolations(page) }).toEqual({
        path,
        title: expect.stringMatching(/^[\w: ·-]+ · Temblor$/) as string,
        foreign: 0,
        isTooWide: false,
        axe: [],
      })
    }
  })
})
