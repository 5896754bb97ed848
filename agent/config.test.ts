import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const ca = 'a'.repeat(64)
const team = '11111111-2222-4333-8444-555555555555'

function withFile(content: unknown): NodeJS.ProcessEnv {
  const path = join(mkdtempSync(join(tmpdir(), 'temblor-config-')), 'agent.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return { TEMBLOR_AGENT_CONFIG: path }
}

function readFaulty() {
  return readConfig({
    ...withFile({ TEMBLOR_MAX_PERCNT: 3 }),
    TEMBLOR_JOIN: 'temblor://127.0.0.1:1/x?secret=hush',
    TEMBLOR_MAX_PERCENT: '101',
    TEMBLOR_TAGS: 'zone',
    TEMBLOR_ALLOW_ATTACKS: 'cpuu',
    DOCKER_HOST: 'tcp://elsewhere:2375',
  })
}

describe('the configuration of an agent', () => {
  it('reads every variable', () => {
    const config = readConfig({
      ...withFile({}),
      TEMBLOR_JOIN: `temblor://127.0.0.1:8081/${team}?secret=s&ca=${ca}`,
      TEMBLOR_AGENT_DIR: '/tmp/x',
      TEMBLOR_IDENTIFIER: 'web-1',
      TEMBLOR_TAGS: 'zone=us-east1,role=mysql',
      TEMBLOR_ALLOW_ATTACKS: 'cpu',
      TEMBLOR_MAX_LENGTH_SECONDS: '60',
      TEMBLOR_MAX_PERCENT: '50',
      TEMBLOR_MAX_CONTAINERS: '2',
      TEMBLOR_FORBID_SHUTDOWN: 'yes',
      DOCKER_HOST: 'unix:///run/d.sock',
    })
    expect(config).toMatchObject({
      join: { address: '127.0.0.1:8081', teamId: team, secret: 's', caSha256: ca },
      stateDir: '/tmp/x',
      identifier: 'web-1',
      tags: { zone: 'us-east1', role: 'mysql' },
      dockerSocket: '/run/d.sock',
      limits: {
        attackTypes: ['cpu'],
        maxLengthSeconds: 60,
        maxPercent: 50,
        maxContainers: 2,
        shutdownForbidden: true,
      },
    })
  })

  it('takes the stricter limit of file and environment, and other values from the environment', () => {
    const config = readConfig({
      ...withFile({ TEMBLOR_MAX_PERCENT: 30, TEMBLOR_ALLOW_ATTACKS: [], TEMBLOR_TAGS: { a: 'b' } }),
      TEMBLOR_MAX_PERCENT: '80',
      TEMBLOR_ALLOW_ATTACKS: 'cpu',
      TEMBLOR_TAGS: 'c=d',
    })
    expect(config.limits).toMatchObject({ maxPercent: 30, attackTypes: [] })
    expect(config.tags).toEqual({ c: 'd' })
  })

  it('names every fault in one message, and never a secret', () => {
    expect(readFaulty).toThrow(
      /TEMBLOR_MAX_PERCENT cannot be "101". Allowed: a whole number from 1 to 100/,
    )
    expect(readFaulty).toThrow(/TEMBLOR_TAGS cannot be "zone"/)
    expect(readFaulty).toThrow(/TEMBLOR_ALLOW_ATTACKS cannot be "cpuu"/)
    expect(readFaulty).toThrow(/unknown key "TEMBLOR_MAX_PERCNT". Did you mean TEMBLOR_MAX_PERCENT/)
    expect(readFaulty).toThrow(/DOCKER_HOST cannot be "tcp/)
    expect(readFaulty).toThrow(/TEMBLOR_JOIN: The join line has no team id/)
    expect(readFaulty).not.toThrow(/hush/)
  })

  it('does not start without the limits of a file that cannot be read', () => {
    expect(() => readConfig(withFile('{'))).toThrow(/agent.json/)
    expect(() => readConfig({ TEMBLOR_AGENT_CONFIG: '/nowhere/agent.json' })).toThrow(/ENOENT/)
  })
})
