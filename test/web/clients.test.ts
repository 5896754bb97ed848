import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserSkipReason } from '../support/browser.ts'
import { dockerSkipReason, targetContainers } from '../support/docker.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'
import {
  axeViolations,
  openWindow,
  signInByForm,
  startBrowser,
  type Window,
} from '../support/web-browser.ts'

const markup = `<img src=x onerror="document.title='owned'">`

describe.skipIf(browserSkipReason)('the hosts in the browser', () => {
  let service: Service
  let browser: Browser
  let window: Window
  let page: Page
  let host: string
  beforeAll(async () => {
    ;[service, browser] = await Promise.all([
      startService({
        TEMBLOR_TAGS: 'zone=eu-1,role=web',
        TEMBLOR_ALLOW_ATTACKS: 'cpu,latency',
        TEMBLOR_MAX_LENGTH_SECONDS: '300',
      }),
      startBrowser(),
    ])
    window = await openWindow(browser, service.local.appUrl)
    page = window.page
    host = (await service.owner.activeClients())[0]?.identifier ?? ''
    await page.goto('/clients')
    await signInByForm(page, service.local.owner)
    await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.[Symbol.asyncDispose]()
  })

  const row = () => page.getByRole('row').filter({ has: page.getByRole('link', { name: host }) })
  const section = (name: string) => page.getByRole('region', { name, exact: true })

  test('are listed with what they carry and can do; the filter is in the address', async () => {
    await row().getByText('Active').waitFor()
    await row().getByText('CPU, Latency', { exact: true }).waitFor()
    await row().getByText('limited by its owner').waitFor()
    await page.getByLabel('Name, tag, container or label').fill('zone=eu-1')
    await page.waitForURL(/\?text=zone%3Deu-1/)
    await row().waitFor()
    await page.goto('/clients?state=revoked')
    await page.getByText('No host fits').waitFor()
    await page.getByRole('link', { name: 'Show all hosts' }).click()
    await row().waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('tell what they cannot do and why, and what their owner forbids', async () => {
    await page.getByRole('link', { name: host }).click()
    await section('What its owner forbids')
      .getByText('Only these attacks: cpu, latency (TEMBLOR_ALLOW_ATTACKS).')
      .waitFor()
    await section('What its owner forbids').getByText('Nothing longer than 300 s').waitFor()
    const blackhole = page.getByRole('row').filter({ hasText: 'Blackhole' })
    await blackhole
      .getByText(/The owner of this host allows only cpu, latency|kernel|nft/)
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Attack this host' }).click()
    await page.getByRole('button', { name: 'Attack 1 host for 1 min' }).waitFor()
    // What the owner forbids is known before anything is started.
    await page.getByLabel('Length (-l)').fill('301')
    await page.getByText('allows at most 300 s (TEMBLOR_MAX_LENGTH_SECONDS)').waitFor()
    expect(await service.owner.attacks()).toEqual([])
  })

  test('are revoked and come back, by name', async () => {
    await page.goto(`/clients/host?id=${encodeURIComponent(host)}`)
    await page.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke this host?' })
    await dialog.getByText(host, { exact: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Activate' }).click()
    expect(await service.owner.activeClients()).toEqual([])
    const back = page.getByRole('dialog', { name: 'Activate this host again?' })
    await back.getByRole('button', { name: 'Activate' }).click()
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    // Its agent is there again by itself, and so is the page.
    await page.getByRole('link', { name: 'Attack this host' }).waitFor({ timeout: 40_000 })
  })

  test.skipIf(dockerSkipReason)('show their containers, also with hostile labels', async () => {
    await using containers = await targetContainers()
    const open = await containers.start({ app: markup })
    const kept = await containers.start({ 'temblor.protect': 'true' })
    await until(
      'the agent has reported both',
      async () => {
        const names = new Set((await service.owner.containers()).map(({ name }) => name))
        return [open, kept].every(({ name }) => names.has(name))
      },
      15_000,
      apiPollMs,
    )
    await page.goto(`/clients/host?id=${encodeURIComponent(host)}`)
    await page.getByRole('row').filter({ hasText: kept.name }).getByText('Protected').waitFor()
    const shown = page.getByRole('row').filter({ hasText: open.name })
    await shown.getByText(markup).waitFor()
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeViolations(page)).toEqual([])
    }
    await shown.getByRole('link', { name: 'Attack it' }).click()
    await page.getByRole('button', { name: 'Attack 1 container on 1 host' }).waitFor()
    expect(await page.title()).toBe('New attack · Temblor')
  })

  test('are added with a line that is shown when it is asked for', async () => {
    await page.goto('/clients')
    await page.getByRole('button', { name: 'Add a host' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a host' })
    await dialog.getByRole('button', { name: 'Show the lines that add a host' }).click()
    expect(await dialog.getByRole('region', { name: 'Join the team' }).textContent()).toContain(
      `echo '${service.local.join}' | sudo npx temblor init`,
    )
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test('nothing went against the policy, and no script failed', () => {
    expect(window.complaints).toEqual([])
  })
})
