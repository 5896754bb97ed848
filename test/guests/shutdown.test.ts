import { describe, expect, test } from 'vitest'
import { keys } from '../../controller/store/keys.ts'
import { openRedis } from '../../controller/store/redis.ts'
import type { AttackPreview } from '../../shared/api/attacks.ts'
import type { JournalEntry } from '../../agent/journal.ts'
import type { AttackRequest } from '../support/api.ts'
import { startGuest } from '../support/guest/guest.ts'
import { installAgent, startGuestService, untilInTeam } from '../support/guest/installed.ts'
import { shared } from '../support/guest/shared.ts'
import type { Service } from '../support/service.ts'
import { apiPollMs, elapse, until } from '../support/until.ts'

const ownerFile = '/etc/temblor/agent.json'
const journal = '/var/lib/temblor/journal'
/** From the first word about it until a host is back: an emulated one takes its time. */
const awayMs = 180_000
/** So long after the time at which a halted shutdown would have struck the host is looked at. */
const wellAfterMs = 10_000

describe('shutdown of a real host', () => {
  const rig = shared(async (own) => {
    const [service, web, twin] = await Promise.all([
      startGuestService().then((one) => own.use(one)),
      startGuest({ name: 'web-1' }).then((one) => own.use(one)),
      startGuest({ name: 'web-2' }).then((one) => own.use(one)),
    ])
    await Promise.all([web, twin].map((guest) => installAgent(guest, service)))
    return { service, owner: service.owner, web, twin }
  })
  /** Set by the tests in their order: what a later one looks back on. */
  let afterReboot = ''
  let poweredOff = { attackId: '', executionId: '' }
  let halted = { bootId: '', strikesAtMs: Infinity }

  test('is announced by the preview as what a host does not come back from by itself', async () => {
    const { owner } = rig()
    const asked = async (args: string) => {
      const answer = await owner.send('POST', '/attacks/preview', {
        json: shutdown(args, ['web-1']),
      })
      expect(answer.status).toBe(200)
      return answer.json as AttackPreview
    }
    expect((await asked('-d 0')).warnings.join()).toContain('will not come back by itself')
    expect((await asked('-d 0 -r')).warnings.join()).not.toContain('will not come back')
  })

  test('is halted while it waits', async () => {
    const { owner, twin } = rig()
    const bootId = await twin.bootId()
    const id = await owner.attack(shutdown('-d 1', ['web-2']))
    const [waiting] = await owner.running(id)
    halted = { bootId, strikesAtMs: performance.now() + 60_000 }
    expect(waiting?.client_states.at(-1)?.stage).toBe('Running')
    await owner.halt(id)
    expect(await owner.finished(id)).toMatchObject([{ reason: 'halted' }])
  })

  test('reboots it once, and it says so when it is back', async () => {
    const { owner, web } = rig()
    const before = await web.bootId()
    const id = await owner.attack(shutdown('-d 0 -r', ['web-1']))
    await web.untilRebooted(before, awayMs)
    const [execution] = await owner.finished(id, awayMs)
    afterReboot = await web.bootId()
    expect(execution).toMatchObject({ stage: 'Successful', reason: 'completed' })
    expect(execution?.output).toContain(`Boot id ${before} before, ${afterReboot} after`)
    expect(execution?.measured).toMatchObject({ metric: 'shutdown', value: 1 })
    const awaySeconds = execution?.measured?.detail['away_seconds'] ?? 0
    expect(awaySeconds).toBeGreaterThan(1)
    expect(awaySeconds).toBeLessThan(awayMs / 1000)
    const client = await untilInTeam(owner, web, before)
    expect(client.boot_id).toBe(afterReboot)
  })

  test('powers a host off once, and no other', async () => {
    const { owner, web, twin } = rig()
    // Still the boot of the one reboot: the order has had no second effect.
    expect(await web.bootId()).toBe(afterReboot)
    const id = await owner.attack(shutdown('-d 0', ['web-1']))
    expect(await web.exited).toEqual({ code: 0, signal: null })
    const rows = await owner.executions(id)
    expect(rows).toMatchObject([{ client_id: 'web-1', stage: 'TearingDown' }])
    expect(await twin.bootId()).toBe(halted.bootId)
    poweredOff = { attackId: id, executionId: rows[0]?.guid ?? '' }
  })

  test('counts as done when the host stays silent, whatever it says when it is back', async () => {
    const { owner, service, web } = rig()
    const { attackId, executionId } = poweredOff
    const read = async () =>
      (await owner.executions(attackId)).find((row) => row.guid === executionId)
    await until(
      'web-1 counts as silent',
      async () => {
        const client = (await owner.activeClients()).find((one) => one.identifier === 'web-1')
        return client?.targetable === false
      },
      60_000,
      apiPollMs,
    )
    await dueNow(service, executionId)
    const over = await until(
      'the silence is understood',
      async () => {
        const row = await read()
        return row?.end_time ? row : undefined
      },
      // It means nothing for a while when nobody could look at it.
      60_000,
      apiPollMs,
    )
    expect(over).toMatchObject({ stage: 'Successful', reason: 'completed' })
    expect(over.output).toContain('web-1 said that it powers off and has been silent since')

    await web.start()
    await untilInTeam(owner, web, afterReboot)
    // The agent knows better, reports it, and is told that this is known.
    const acknowledged = await until(
      'its report has arrived',
      async () => {
        const entry = JSON.parse(await web.read(`${journal}/${executionId}.json`)) as JournalEntry
        return entry.acknowledged && entry
      },
      60_000,
      500,
    )
    expect(acknowledged).toMatchObject({ state: 'DONE', report: { reason: 'completed' } })
    expect(await read()).toEqual(over)
    // Up again, and it stays up.
    const bootId = await web.bootId()
    expect(bootId).not.toBe(afterReboot)
    expect(acknowledged.report?.message).toContain(`Boot id ${afterReboot} before, ${bootId} after`)
  })

  test('has not happened where it was halted, well after its time', async () => {
    const { twin } = rig()
    await elapse(Math.max(0, halted.strikesAtMs + wellAfterMs - performance.now()))
    expect(await twin.bootId()).toBe(halted.bootId)
    const service = ['systemctl', 'show', '--value', '-p', 'NRestarts', 'temblor-agent']
    expect((await twin.ok(service)).trim()).toBe('0')
  })

  test('does nothing to a host whose owner forbids it', async () => {
    const { owner, twin } = rig()
    await twin.write(ownerFile, JSON.stringify({ TEMBLOR_FORBID_SHUTDOWN: true }))
    await twin.ok(['systemctl', 'restart', 'temblor-agent'])
    await until(
      'the controller knows of the limit',
      async () =>
        (await owner.activeClients()).find(({ identifier }) => identifier === 'web-2')?.limits
          .shutdown_forbidden,
      60_000,
      apiPollMs,
    )
    const answer = await owner.send('POST', '/attacks/preview', {
      json: shutdown('-d 0', ['web-1', 'web-2']),
    })
    const { would_hit: hit } = answer.json as AttackPreview
    expect(hit.find(({ client_id: id }) => id === 'web-1')?.cannot).toBeNull()
    expect(hit.find(({ client_id: id }) => id === 'web-2')?.cannot).toContain('shutdown')
    const id = await owner.attack(shutdown('-d 0', ['web-2']))
    expect(await owner.finished(id)).toMatchObject([
      { client_id: 'web-2', stage: 'InitializationFailed', reason: 'forbidden_by_owner' },
    ])
    expect(await twin.bootId()).toBe(halted.bootId)
  })
})

/** Lets the time run out in which nothing may be heard of an execution: two minutes of silence. */
async function dueNow({ local }: Service, executionId: string): Promise<void> {
  const redis = openRedis(local.redisUrl)
  try {
    await redis.zadd(keys.due(local.team.id), 1, executionId)
  } finally {
    redis.disconnect()
  }
}

const shutdown = (args: string, exact: string[]): AttackRequest => ({
  command: { type: 'shutdown', args: args.split(' ') },
  target: { type: 'Exact', exact },
})
