import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
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

interface Visit {
  readonly path: string
  /** Texts that somebody gave, which have to be there as they are. */
  readonly shows?: readonly string[]
  /** What opens a dialog there. */
  readonly opens?: readonly string[]
}
const long = endless.slice(0, 100)
const host = `/clients/host?id=${encodeURIComponent(`web-1 ${markup}`)}`

/** Every page; `:attack`, `:user` and `:team` stand for one that there is. */
const pages: readonly Visit[] = [
  { path: '/attacks', shows: [markup], opens: ['Halt all'] },
  { path: '/attacks?text=%3Cscript&type=%3Cb%3E&state=failed&from=2020-01-01' },
  { path: '/attacks/:attack', shows: [markup, rightToLeft, long] },
  { path: '/attacks/new?from=:attack', shows: [markup, rightToLeft, long] },
  { path: '/clients', shows: [markup, rightToLeft, long], opens: ['Add a host'] },
  { path: host, shows: [markup, rightToLeft, long], opens: ['Revoke'] },
  { path: '/team/members', shows: [markup.slice(0, 100), long], opens: ['Add people'] },
  { path: '/team/hosts' },
  { path: '/team/keys', shows: [markup, rightToLeft, long] },
  { path: '/team/settings' },
  { path: '/company/users', shows: [markup.slice(0, 100), long], opens: ['Invite people'] },
  { path: '/company/users/:user', shows: [rightToLeft] },
  { path: '/company/teams', shows: [rightToLeft], opens: ['New team'] },
  { path: '/company/teams/:team', shows: [rightToLeft] },
  { path: '/company/settings' },
  { path: '/company/security' },
  { path: '/company/saml', shows: [markup, rightToLeft], opens: ['New alias'] },
  { path: '/company/oauth' },
  { path: '/company/sign-ins', shows: [markup, rightToLeft, long] },
  { path: '/company/audit', shows: [markup] },
  { path: '/account/profile', shows: [markup.slice(0, 100)] },
  { path: '/account/second-factor' },
  { path: '/account/sessions' },
  { path: '/account/keys', shows: [markup, rightToLeft, long], opens: ['New key'] },
  { path: '/there-is-no-such-page' },
]

interface Found {
  readonly title: string
  readonly foreign: number
  readonly isTooWide: boolean
  readonly text: string
}

/** Runs in the page. */
const look = `({
  title: document.title,
  foreign: document.querySelectorAll('img[onerror], main b, main script').length,
  isTooWide: document.documentElement.scrollWidth > innerWidth,
  text: document.body.innerText,
})`

/** A look at all of them takes half a minute on a machine without other work. */
const timeout = 300_000

describe.skipIf(browserSkipReason)('every page, with hostile names', { timeout }, () => {
  let controller: TestController
  let browser: Browser
  let attack: string
  let teamId: string
  const user = { email: newEmail('everything'), password: personsPassword }
  const beginner = { email: newEmail('beginner'), password: personsPassword }

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
    await controller.store.users.setName(userId, { first: markup.slice(0, 100), last: long })
    const api = await signIn(controller.baseUrl, user)
    const key = { identifier: long, description: `${markup} ${rightToLeft} ${long}` }
    await api.send('POST', '/apikeys', { json: key })
    const target = { type: 'Random', exact: 3 }
    attack = await api.attack({ command: { type: 'cpu', args: ['-l', '60'] }, target })
    const why = { reason: `${markup} ${rightToLeft} ${endless}`.slice(0, 1000) }
    await api.send('POST', `/attacks/${attack}/halt`, { json: why })
    await api.send('PUT', `/attacks/${attack}/annotations`, {
      json: { notes: `${markup}\n${rightToLeft}\n${endless}` },
    })
    for (const aliasId of [markup, rightToLeft, endless.slice(0, 200)])
      await api.send('POST', `/companies/${company.id}/saml/claim-aliases`, { json: { aliasId } })
    await controller.store.signInFailures.add(company.id, {
      time: new Date().toISOString(),
      method: 'saml',
      check: 'signature',
      reason: `${markup} ${endless}`,
      email: rightToLeft,
      issuer: markup,
      in_response_to: null,
      from: '10.0.0.1',
      request_id: markup,
    })
    const empty = await companies.addCompany('Empty')
    const nobodys = await companies.addTeam(empty, 'Nobody')
    await controller.add(empty.id, {
      email: beginner.email,
      roles: ['COMPANY_OWNER'],
      teams: { [nobodys.id]: ['TEAM_MANAGER'] },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await controller?.[Symbol.asyncDispose]()
  })

  test.each([
    ['light', 1280, 'all'],
    ['dark', 390, 'look'],
  ] as const)('is read by everybody: %s, %d pixels wide', async (scheme, width, what) => {
    await using window = await openWindow(browser, controller.baseUrl, { scheme, width })
    const { page } = window
    await page.goto('/')
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await signInByForm(page, user)
    await page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
    for (const { path, shows = [], opens = [] } of pages) {
      await page.goto(
        path.replace(':attack', attack).replace(':user', user.email).replace(':team', teamId),
      )
      await loaded(page)
      const { text, ...found } = await page.evaluate<Found>(look)
      const missing = shows.filter((one) => !plain(text).includes(plain(one)))
      expect({ path, ...found, missing, axe: await axeViolations(page, what) }).toEqual({
        path,
        title: expect.stringMatching(/^[\w: ·-]+ · Temblor$/) as string,
        foreign: 0,
        isTooWide: false,
        missing: [],
        axe: [],
      })
      for (const name of opens) {
        await page.getByRole('button', { name, exact: true }).first().click()
        await page.getByRole('dialog').waitFor()
        expect({ path, name, axe: await axeViolations(page, what) }).toEqual({
          path,
          name,
          axe: [],
        })
        await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      }
    }
  })

  test('so is what is said where there is nothing yet, and where something failed', async () => {
    await using window = await openWindow(browser, controller.baseUrl)
    const { page } = window
    const inBoth = async (path: string) => {
      expect({ path, axe: await axeViolations(page) }).toEqual({ path, axe: [] })
      await page.emulateMedia({ colorScheme: 'dark' })
      expect({ path, axe: await axeViolations(page, 'look') }).toEqual({ path, axe: [] })
      await page.emulateMedia({ colorScheme: 'light' })
    }
    await page.goto('/attacks')
    await signInByForm(page, beginner)
    await page.getByRole('heading', { level: 1, name: 'Attacks' }).waitFor()
    for (const [path, words] of [
      ['/attacks', 'No attacks yet'],
      ['/attacks/new', 'There is no host to attack yet'],
      ['/clients', 'No hosts yet'],
      ['/account/keys', 'No keys yet'],
      ['/company/sign-ins', 'No sign-in was refused'],
    ] as const) {
      await page.goto(path)
      await page.getByText(words).waitFor()
      await inBoth(path)
    }
    const lists = /\/v1\/(attacks\/paged|clients)/
    const error = { code: 'forbidden', message: `Not now: ${markup} ${endless}`, requestId: '1' }
    await page.route(lists, (route) => route.fulfill({ status: 403, json: { error } }))
    for (const path of ['/attacks', '/clients']) {
      await page.goto(path)
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
      await inBoth(`${path}, failed`)
    }
    await page.unroute(lists)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No hosts yet').waitFor()
  })

  test('older attacks are shown when they are asked for', async () => {
    const times = [...Array(60).keys()].map((at) => Date.now() - 3_600_000 - at)
    await Promise.all(times.map((startedMs) => addManual(startedMs)))
    await using window = await openWindow(browser, controller.baseUrl)
    const { page } = window
    await page.goto('/attacks?type=blackhole')
    await signInByForm(page, user)
    const rows = page.getByRole('row').filter({ hasText: 'blackhole' })
    await rows.nth(49).waitFor()
    expect(await rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Look further back' }).click()
    await rows.nth(59).waitFor()
    await page.getByRole('button', { name: 'Look further back' }).waitFor({ state: 'hidden' })
  })

  const addManual = (startedMs: number) =>
    controller.store.attacks.recordManual({
      teamId,
      type: 'blackhole',
      args: [],
      params: {},
      lengthSeconds: 60,
      attackId: randomUUID(),
      executionId: randomUUID(),
      host: rightToLeft,
      container: undefined,
      startedMs,
    })
})

async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor()
  await until('it is loaded', async () => (await page.getByText(/^Loading /).count()) === 0)
}

/** Blanks and breaks as the eye takes them. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
