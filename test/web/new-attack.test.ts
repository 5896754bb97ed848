import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { networkContainer } from '../faults/network-containers.ts'
import { browserSkipReason } from '../support/browser.ts'
import {
  dockerSkipReason,
  targetContainers,
  type TargetContainer,
  type TargetContainers,
} from '../support/docker.ts'
import { startAgent, untilTargetable } from '../support/agent.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'
import {
  axeViolations,
  openWindow,
  signInByForm,
  startBrowser,
  type Window,
} from '../support/web-browser.ts'

describe.skipIf(browserSkipReason)('a new attack in the browser', () => {
  let service: Service
  let browser: Browser
  let window: Window
  let page: Page
  let host: string
  beforeAll(async () => {
    ;[service, browser] = await Promise.all([startService(), startBrowser()])
    window = await openWindow(browser, service.local.appUrl)
    page = window.page
    host = (await service.owner.activeClients())[0]?.identifier ?? ''
    await page.goto('/attacks/new')
    await signInByForm(page, service.local.owner)
    await page.getByRole('heading', { level: 1, name: 'New attack' }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.[Symbol.asyncDispose]()
  })

  const action = (name: string | RegExp) => page.getByRole('button', { name })
  const list = (name: string) => page.getByRole('combobox', { name })
  const line = (name: string) => page.getByRole('region', { name, exact: true }).textContent()

  test('whom it hits is said before it is started, and what is wrong is marked while one types', async () => {
    await action('Attack 1 host for 1 min').waitFor()
    await page
      .getByRole('list', { name: 'Would be hit' })
      .getByText(host, { exact: true })
      .waitFor()
    expect(await line('Command line')).toBe('temblor attack run cpu --length 60 --random')

    await page.getByLabel('Load of each core (-p)').fill('101')
    const problem = page.getByText(
      'This cannot be “101”. Allowed: a whole number from 1 to 100 (%).',
    )
    await problem.waitFor()
    expect(await page.getByLabel('Load of each core (-p)').getAttribute('aria-invalid')).toBe(
      'true',
    )
    expect(await action('Attack').isDisabled()).toBe(true)
    // Nothing is started by Enter in a field.
    await page.getByLabel('Load of each core (-p)').fill('20')
    await page.keyboard.press('Enter')
    await action('Attack 1 host for 1 min').waitFor()
    await list('Tags of the hosts').fill('zone=nowhere')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('No live host of this team carries the tags').waitFor()
    expect(await action('Attack').isDisabled()).toBe(true)
    expect(await line('Command line')).toContain('--percent 20 --tag zone=nowhere')
    expect(await line('curl')).toContain('Authorization: Key $TEMBLOR_API_KEY')
    expect(await service.owner.attacks()).toEqual([])
  })

  test('every type has a form, made from its definition', async () => {
    await page.goto('/attacks/new?type=latency')
    const ports = list('Remote ports (-p)')
    await ports.pressSequentially('443,8080-8085 99999')
    await page.keyboard.press('Enter')
    await page.getByText('This cannot be “99999”').waitFor()
    await page.keyboard.press('Backspace')
    await page.getByText('This cannot be').waitFor({ state: 'detached' })
    expect(await line('Command line')).toContain("--egress-port '^53,443,8080-8085'")
  })

  test('where there is no host yet, the page says how one is added', async () => {
    const { json } = await service.owner.send('POST', '/orgs?addUser=true', {
      form: { name: 'Empty' },
    })
    const { identifier } = json as { identifier: string }
    await page.goto(`/attacks/new?team=${identifier}`)
    await page.getByText('There is no host to attack yet').waitFor()
    await action('Show the lines that add a host').click()
    expect(await line('Join the team')).toMatch(
      new RegExp(
        `^npm ci\necho 'temblor://.+/${identifier}\\?secret=.+' \\| sudo npx temblor init$`,
      ),
    )
  })

  test.each(['light', 'dark'] as const)(
    'nothing stands in the way of anybody, %s',
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme })
      await page.goto('/attacks/new?type=blackhole')
      await page.getByText('Containers', { exact: true }).click()
      await page.getByText('This hits').waitFor()
      await page.getByLabel('How many').fill('none')
      await page.getByText('This cannot be “none”').waitFor()
      expect(await axeViolations(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
    },
  )

  describe.skipIf(dockerSkipReason)('on a real container', () => {
    let containers: TargetContainers
    let target: TargetContainer
    let bystander: TargetContainer
    beforeAll(async () => {
      containers = await targetContainers()
      target = await containers.start({ app: 'shop' })
      bystander = await containers.start({ app: 'other' })
      await until(
        'the agent has reported both',
        async () => (await service.owner.containers()).filter(isOurs).length === 2,
        15_000,
        apiPollMs,
      )
    })
    afterAll(() => containers?.[Symbol.asyncDispose]())
    const isOurs = ({ name }: { name: string }) => name.startsWith(`temblor-test-${containers.run}`)

    test('an attack made in the form is watched to its end; pressed twice it is one', async () => {
      await page.goto('/attacks/new')
      await page.getByText('Containers', { exact: true }).click()
      await page.getByText('Exact', { exact: true }).click()
      for (const label of [`temblor.test=${containers.run}`, 'app=shop']) {
        await list('Labels of the containers').fill(label)
        await page.keyboard.press('Enter')
      }
      await page.keyboard.press('Escape')
      await page.getByLabel('Load of each core (-p)').fill('50')
      await page.getByLabel('Length (-l)').fill('5')
      const [before, besides] = [target.cpuSeconds(), bystander.cpuSeconds()]
      await action('Attack 1 container on 1 host for 5 s').dblclick()

      await page.getByRole('heading', { level: 1, name: 'Attack: cpu' }).waitFor()
      const row = page.getByRole('article', { name: `${host}/${target.name}` })
      await row.getByText('Running', { exact: true }).first().waitFor()
      await row.getByText('Successful', { exact: true }).first().waitFor()
      await row.getByText('Asked 50.0 %').waitFor()
      const measured = (await row.getByText(/Measured \d/).textContent()) ?? ''
      // A machine with other work gives it less, never more.
      const percent = Number.parseFloat(measured.replace('Measured', ''))
      expect(percent).toBeGreaterThan(10)
      expect(percent).toBeLessThan(55)
      // Whoever looks at it says what follows.
      await action('Note something').click()
      await page.getByLabel('Note', { exact: true }).fill('Checkout stayed up.\n<b>Good.</b>')
      await action('Save').click()
      await page.getByRole('region', { name: 'Notes' }).getByText('<b>Good.</b>').waitFor()
      expect(await axeViolations(page)).toEqual([])
      expect(target.cpuSeconds() - before).toBeGreaterThan(0.2)
      expect(bystander.cpuSeconds() - besides).toBeLessThan(0.2)
      expect(await service.owner.attacks()).toHaveLength(1)
    })

    test('run again fills the form with it; the second is halted', async () => {
      await page.getByRole('link', { name: 'Run again' }).click()
      await action('Attack 1 container on 1 host for 5 s').waitFor()
      expect(await line('Command line')).toContain(
        '--length 5 --percent 50 ' +
          `--label temblor.test=${containers.run} --label app=shop --percent-of-targets 100`,
      )
      await page.getByLabel('Length (-l)').fill('600')
      await action('Attack 1 container on 1 host for 10 min').click()
      const row = page.getByRole('article', { name: `${host}/${target.name}` })
      await row.getByText('Running', { exact: true }).first().waitFor()
      await action('Halt')
        .and(page.getByRole('button', { name: 'Halt', exact: true }))
        .click()
      const dialog = page.getByRole('dialog', { name: 'Halt cpu on 1 host?' })
      await dialog.getByRole('button', { name: 'Halt' }).click()
      await row.getByText('Halted', { exact: true }).first().waitFor()
      const [newest, ...older] = await service.owner.attacks()
      expect(newest).toMatchObject({ stage: 'UserHalted', length_seconds: 600 })
      expect(older).toHaveLength(1)
      const burnt = target.cpuSeconds()
      await page.getByRole('link', { name: 'Attacks', exact: true }).click()
      await page.getByRole('row').filter({ hasText: 'Halted' }).waitFor()
      expect(target.cpuSeconds() - burnt).toBeLessThan(0.2)
    })

    test('a delay on a container is watched while it lasts, with its chart, and is halted', async () => {
      await using wired = await networkContainer('bridge', { 'temblor.run': containers.run })
      await until(
        'the agent has reported it',
        async () =>
          (await service.owner.containers()).some(({ identifier }) => identifier === wired.id),
        15_000,
        apiPollMs,
      )
      await page.goto(`/attacks/new?type=latency&container=${wired.id}`)
      await page.getByLabel('Delay (-m)').fill('150')
      await page.getByLabel('Length (-l)').fill('120')
      await action('Attack 1 container on 1 host for 2 min').click()
      const row = page.getByRole('article', { name: `${host}/${wired.name}` })
      await row.getByText('Running', { exact: true }).first().waitFor()
      await page.getByRole('img', { name: 'asked against measured' }).locator('canvas').waitFor()
      await row.getByText('Asked 150.0 ms').waitFor()
      await row.getByText(/Measured 1\d\d\.\d ms/).waitFor()
      await page.getByRole('button', { name: 'Halt', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Halt' }).click()
      await row.getByText('Halted', { exact: true }).first().waitFor()
      const [newest] = await service.owner.attacks()
      expect(newest).toMatchObject({ command_type: 'latency', stage: 'UserHalted' })
    })

    test('what cannot be undone is asked for once more, naming whom it hits', async () => {
      await page.goto(`/attacks/new?type=shutdown&container=${target.id}`)
      await action('Attack 1 container on 1 host').click()
      const dialog = page.getByRole('dialog', { name: 'Shutdown: hit 1 container on 1 host?' })
      await dialog.getByText('will not come back by itself').waitFor()
      await dialog.getByText(`${host}/${target.name}`, { exact: true }).waitFor()
      expect(await axeViolations(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect((await service.owner.attacks()).map((one) => one.command_type)).not.toContain(
        'shutdown',
      )
    })
  })

  test('one of several hosts is drawn: the blast radius follows who is there', async () => {
    await page.goto('/attacks/new')
    await action('Attack 1 host for 1 min').waitFor()
    const second = startAgent('web-2', service.local.join)
    try {
      // Its start may take as long as the page waits to ask again.
      await untilTargetable(service.owner, 'web-2')
      await page.getByText('1 of these 2 hosts is drawn, each with the same chance.').waitFor()
      const hit = page.getByRole('list', { name: 'Would be hit' })
      await hit.getByText('web-2', { exact: true }).waitFor()
      await page.getByLabel('How many').fill('2')
      await page.getByLabel('Load of each core (-p)').fill('5')
      await page.getByLabel('Length (-l)').fill('2')
      await action('Attack 2 hosts for 2 s').click()
      await page.getByRole('heading', { level: 1, name: 'Attack: cpu' }).waitFor()
      for (const name of [host, 'web-2'])
        await page
          .getByRole('article', { name, exact: true })
          .getByText('Successful', { exact: true })
          .first()
          .waitFor()
      const [newest] = await service.owner.attacks()
      expect(newest?.targets.toSorted()).toEqual([host, 'web-2'].toSorted())
    } finally {
      await second[Symbol.asyncDispose]()
    }
  })

  test('nothing went against the policy, and no script failed', () => {
    expect(window.complaints).toEqual([])
  })
})
