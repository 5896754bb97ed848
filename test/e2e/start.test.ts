import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cpuAttack } from '../support/api.ts'
import { runNode } from '../support/command.ts'
import { descendants, stillThere } from '../support/processes.ts'
import { startService, temporaryDir } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

const dirs: string[] = []
/** A data folder that is removed when the file is done. */
function dataDir(): string {
  const dir = temporaryDir()
  dirs.push(dir)
  return dir
}
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
})

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

describe('npm start', () => {
  test('makes company, team and owner as asked, says how to use it and keeps its secrets to itself', async () => {
    const dir = dataDir()
    const service = await startService(
      {
        TEMBLOR_COMPANY: 'Acme & Söhne',
        TEMBLOR_TEAM: 'Payments',
        TEMBLOR_OWNER_EMAIL: 'boss@acme.example',
        TEMBLOR_OWNER_PASSWORD: 'a-password-of-my-own',
      },
      dir,
    )
    try {
      const { local, owner } = service
      expect(local).toMatchObject({
        company: { name: 'Acme & Söhne' },
        team: { name: 'Payments' },
        owner: { email: 'boss@acme.example', password: 'a-password-of-my-own' },
        baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
        appUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        grpcAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        join: expect.stringMatching(/^temblor:\/\//),
      })
      expect((await owner.send('GET', '/users/self')).json).toMatchObject({
        company_roles: ['COMPANY_OWNER'],
        team_memberships: [{ name: 'Payments', roles: ['TEAM_MANAGER'] }],
      })
      const output = service.process.output()
      for (const text of [local.appUrl, local.join, 'curl', '/users/auth', '/attacks/new'])
        expect(output).toContain(text)
      expect(output).not.toContain('a-password-of-my-own')
      expect(modeOf(join(dir, 'local.json'))).toBe('600')
      expect(modeOf(join(dir, 'keys.json'))).toBe('600')
    } finally {
      await service.stop()
    }
  })

  test('again finds everything again, the attacks too, and prints no password', async () => {
    const dir = dataDir()
    const first = await startService({}, dir)
    expect(first.process.output()).toContain(first.local.owner.password)
    const id = await first.owner.attack(cpuAttack('-l 1 -p 1'))
    await first.owner.finished(id)
    const record = await first.owner.readAttack(id)
    const before = await first.owner.activeClients()
    await first.stop()

    const second = await startService({}, dir)
    try {
      const { company, team, owner } = second.local
      expect({ company, team, owner }).toEqual({
        company: first.local.company,
        team: first.local.team,
        owner: first.local.owner,
      })
      expect(second.process.output()).not.toContain(owner.password)
      expect(await second.owner.readAttack(id)).toEqual(record)
      const clients = await second.owner.activeClients()
      expect(clients.map((one) => [one.identifier, one.instance_id])).toEqual(
        before.map((one) => [one.identifier, one.instance_id]),
      )
      const kept = await second.owner.send('GET', '/users/self', {
        headers: { authorization: first.owner.session.header },
      })
      expect(kept.status).toBe(200)
      const next = await second.owner.attack(cpuAttack('-l 1 -p 1'))
      expect(await second.owner.finished(next)).toMatchObject([{ stage: 'Successful' }])
    } finally {
      await second.stop()
    }
  })

  test('twice on one folder at the same time is refused, and the first goes on', async () => {
    const service = await startService({}, dataDir())
    try {
      const { code, stdout, stderr } = await runNode(
        ['deploy/local/start.ts'],
        service.environment,
        20_000,
      )
      expect(code).not.toBe(0)
      expect(stdout + stderr).toContain(service.dataDir)
      expect(existsSync(join(service.dataDir, 'local.json'))).toBe(true)
      const id = await service.owner.attack(cpuAttack('-l 1 -p 1'))
      expect(await service.owner.finished(id)).toMatchObject([{ stage: 'Successful' }])
    } finally {
      await service.stop()
    }
  })

  test('on a port that is taken says which and how to choose another', async () => {
    await using service = await startService()
    const { port } = new URL(service.local.appUrl)
    const { code, stderr } = await runNode(['deploy/local/start.ts'], {
      TEMBLOR_DATA_DIR: dataDir(),
      TEMBLOR_HTTP_PORT: port,
      TEMBLOR_GRPC_PORT: '0',
    })
    expect(code).not.toBe(0)
    expect(stderr).toContain(port)
    expect(stderr).toContain('TEMBLOR_HTTP_PORT')
  })

  test.each([
    ['TEMBLOR_HTTP_PORT', 'abc'],
    ['TEMBLOR_GRPC_PORT', '70000'],
    ['TEMBLOR_COMPANY', 'a|b'],
    ['TEMBLOR_TEAM', 'a;b'],
  ])('with %s=%s says what is wrong and starts nothing', async (name, value) => {
    const { code, stderr } = await runNode(['deploy/local/start.ts'], {
      TEMBLOR_DATA_DIR: dataDir(),
      TEMBLOR_HTTP_PORT: '0',
      TEMBLOR_GRPC_PORT: '0',
      [name]: value,
    })
    expect(code).not.toBe(0)
    expect(stderr).toContain(value)
  })

  test('runs side by side with another one, each with its own people, hosts and attacks', async () => {
    const [one, two] = await Promise.all([startService(), startService()])
    try {
      expect(one.local.team.id).not.toBe(two.local.team.id)
      const ids = await Promise.all([
        one.owner.attack(cpuAttack('-l 3 -p 10')),
        two.owner.attack(cpuAttack('-l 3 -p 10')),
      ])
      expect((await one.owner.attacks()).map((attack) => attack.guid)).toEqual([ids[0]])
      expect((await two.owner.attacks()).map((attack) => attack.guid)).toEqual([ids[1]])
      const crossed = await two.owner.send('GET', '/users/self', {
        headers: { authorization: one.owner.session.header },
      })
      expect(crossed.status).toBe(401)
      expect(await one.owner.finished(ids[0])).toMatchObject([{ stage: 'Successful' }])
      expect(await two.owner.finished(ids[1])).toMatchObject([{ stage: 'Successful' }])
      await one.stop()
      const id = await two.owner.attack(cpuAttack('-l 1 -p 1'))
      expect(await two.owner.finished(id)).toMatchObject([{ stage: 'Successful' }])
    } finally {
      await one[Symbol.asyncDispose]()
      await two[Symbol.asyncDispose]()
    }
  })
})

describe('Ctrl-C', () => {
  test.each([
    ['to the whole process group, as a terminal sends it', (pid: number) => -pid],
    ['to npm start alone', (pid: number) => pid],
  ])('%s halts what runs, reverts it and ends with 0; the record says so', async (_, whom) => {
    const dir = dataDir()
    const service = await startService({}, dir)
    const id = await service.owner.attack(cpuAttack('-l 600 -p 30'))
    await service.owner.running(id)
    const children = descendants(service.process.pid)
    process.kill(whom(service.process.pid), 'SIGINT')
    await until('it has ended', () => service.process.hasEnded(), 20_000)
    expect(await service.process.ended).toMatchObject({ code: 0, signal: null })
    expect(stillThere(children)).toEqual([])

    const again = await startService({}, dir)
    try {
      const row = await until(
        'the record is final',
        async () => (await again.owner.executions(id)).find((one) => one.end_time !== null),
        15_000,
        apiPollMs,
      )
      expect(['UserHalted', 'ClientAborted']).toContain(row.stage)
      expect(descendants(again.process.pid).filter((one) => /burn/.test(one.command))).toEqual([])
    } finally {
      await again.stop()
    }
  })

  test('twice in a row ends it too, and nothing burns', async () => {
    const service = await startService({}, dataDir())
    const id = await service.owner.attack(cpuAttack('-l 600 -p 30'))
    await service.owner.running(id)
    const children = descendants(service.process.pid)
    process.kill(service.process.pid, 'SIGINT')
    process.kill(service.process.pid, 'SIGINT')
    await until('it has ended', () => service.process.hasEnded(), 20_000)
    await until('nothing is left', () => stillThere(children).length === 0, 5000)
    expect(readFileSync(join(service.dataDir, 'keys.json'), 'utf8')).not.toBe('')
  })
})
