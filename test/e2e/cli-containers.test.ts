import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Execution } from '../../shared/api/records.ts'
import { temblor, type Environment } from '../support/command.ts'
import {
  dockerSkipReason,
  needsDocker,
  targetContainers,
  untilKnown,
  type TargetContainer,
  type TargetContainers,
} from '../support/docker.ts'
import { startService, temporaryDir, type Service } from '../support/service.ts'

let service: Service
const home = temporaryDir()
let remote: Environment
let host: string

beforeAll(async () => {
  service = await startService()
  host = (await service.owner.activeClients())[0]?.identifier ?? ''
  remote = {
    XDG_CONFIG_HOME: home,
    HOME: home,
    TEMBLOR_URL: service.local.appUrl,
    TEMBLOR_TOKEN: service.owner.session.token,
  }
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const cli = (...args: string[]) => temblor(args, remote)
const json = async <T>(...args: string[]) => JSON.parse((await cli(...args, '--json')).stdout) as T
const guests = (executions: readonly Execution[]) => new Set(executions.map((one) => one.guest_id))
const runBriefly = async (...args: string[]) => {
  const all = ['attack', 'run', 'cpu', '-l', '1', '-p', '10', ...args]
  return (await json<{ executions: Execution[] }>(...all)).executions
}

describe('containers', () => {
  needsDocker()
  let containers: TargetContainers
  let web: TargetContainer
  let api: TargetContainer
  beforeAll(async () => {
    if (dockerSkipReason) return
    containers = await targetContainers()
    web = await containers.start({ app: 'cli-web' })
    api = await containers.start({ app: 'cli-api' })
    await untilKnown(service.owner, [web, api])
  })
  afterAll(() => containers?.[Symbol.asyncDispose]())

  test('are hit by name and start of the id, wherever they are', async () => {
    const executions = await runBriefly('--container', web.name, api.id.slice(0, 12))
    expect(guests(executions)).toEqual(new Set([web.id, api.id]))
  })

  test('are hit by label, with alternatives, on a host and drawn', async () => {
    const either = ['--label', 'app=cli-web', '--label', 'app=cli-api']
    expect(guests(await runBriefly('--target', host, ...either))).toEqual(new Set([web.id, api.id]))
    expect(await runBriefly(...either, '--count', '1')).toHaveLength(1)
    expect(await runBriefly(...either, '--percent-of-targets', '100')).toHaveLength(2)
    expect(guests(await runBriefly('--random', '--label', 'app=cli-web'))).toEqual(
      new Set([web.id]),
    )
  })

  test('the commands about them know them', async () => {
    const listed = await cli('container', 'list')
    expect(listed.stdout).toContain(web.name)
    expect((await cli('container', 'labels')).stdout).toContain('temblor.test')
    expect((await cli('container', 'show', web.name)).stdout).toContain(web.id)
    const matched = await json<{ matchedContainers: { id: string }[] }>(
      'container',
      'match',
      '--label',
      'app=cli-web',
      '--label',
      'app=cli-api',
    )
    expect(new Set(matched.matchedContainers.map((one) => one.id))).toEqual(
      new Set([web.id, api.id]),
    )
    expect((await cli('container', 'match')).code).toBe(2)
    expect((await cli('container', 'show', 'none-such')).code).toBe(1)
  })

  test('a preview names those that it draws from, and those that their owner protects', async () => {
    const guarded = await containers.start({ app: 'cli-web', 'temblor.protect': 'true' })
    await untilKnown(service.owner, [guarded])
    const preview = ['attack', 'preview', 'cpu', '--label', 'app=cli-web', 'app=cli-api']
    const ended = await cli(...preview, '--count', '1')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/would hit 1 of 2 containers, drawn at random from/)
    const only = await cli('attack', 'preview', 'cpu', '--container', guarded.name)
    expect(only.code).toBe(3)
    expect((await cli('container', 'show', guarded.name)).stdout).toMatch(/protected +yes/)
  })
})
