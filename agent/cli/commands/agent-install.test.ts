import { expect, test } from 'vitest'
import { lightFlags } from '../../host/light-flags.ts'
import { unitText, unseenSettings } from './agent-install.ts'

test('the service runs this Node and this program, and rolls back whenever the agent has ended', () => {
  const flags = lightFlags.join(' ')
  const lines = unitText('/opt/node', '/opt/temblor/bin.js').split('\n')
  expect(lines).toContain(`ExecStart="/opt/node" ${flags} "/opt/temblor/bin.js" agent run`)
  expect(lines).toContain('ExecStopPost=-"/opt/node" "/opt/temblor/bin.js" rollback')
  expect(lines).toContain('Restart=always')
  expect(lines).toContain('StartLimitIntervalSec=0')
})

test('a path is taken as it is, whatever systemd would make of its characters', () => {
  expect(unitText('/a b/node', '/100%/$HOME/"x"\\y.js')).toContain(
    String.raw`ExecStart="/a b/node" ${lightFlags.join(' ')} "/100%%/$$HOME/\"x\"\\y.js" agent run`,
  )
})

test('settings in the environment that the service would not see are named', () => {
  const env = { TEMBLOR_JOIN: 'x', TEMBLOR_TAGS: 'a=b', TEMBLOR_REEXECUTED: '1', PATH: '/bin' }
  expect(unseenSettings(env)).toEqual(['TEMBLOR_TAGS'])
})
