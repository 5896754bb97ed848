import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { banner, curlLines } from './banner.ts'
import { type LocalFile, writeLocalFile } from './local-file.ts'

const dir = mkdtempSync(path.join(tmpdir(), "temblor unit's-"))
afterAll(() => rmSync(dir, { recursive: true }))

function localWith(password: string | null): LocalFile {
  return {
    baseUrl: 'http://127.0.0.1:8080/v1',
    appUrl: 'http://127.0.0.1:8080',
    grpcAddress: '127.0.0.1:8081',
    company: { id: 'c', name: 'Temblor' },
    team: { id: 't', name: 'Default' },
    owner: { email: 'owner@temblor.local', password },
    redisUrl: 'unix:///x/redis.sock',
    join: 'temblor://127.0.0.1:8081/t?secret=s&ca=c',
  }
}

/** Stands in for curl: answers a login as the server does, and shows what else it was given. */
const fakeCurl = `curl() {
  case "$2" in
    *auth) [ "$6" = "password=$EXPECTED" ] && printf '[{"expires_at":"x","header":"Bearer one two","teams":[]}]' ;;
    *) printf '%s\\n' "$@" ;;
  esac
}
`

test.each(['plain-Pass_w0rd', `it's "odd" $HOME \\ & more`])(
  'the curl lines log in with the password %s and use the header',
  (password) => {
    const local = localWith(password)
    writeLocalFile(dir, local)
    const script = fakeCurl + curlLines(local, path.join(dir, 'local.json'))
    const { stdout, stderr } = spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      env: { ...process.env, EXPECTED: password },
    })
    expect(stderr).toBe('')
    expect(stdout).toContain('Authorization: Bearer one two\n')
    expect(stdout).toContain('http://127.0.0.1:8080/v1/attacks/new')
  },
)

test('shows a password only when it was made by this start', () => {
  const facts = {
    local: localWith('secret-word'),
    localFilePath: '/x/local.json',
    agentIdentifier: 'web-1',
    agentWarnings: ['not root'],
    logsPath: '/x/logs',
  }
  expect(banner({ ...facts, newPassword: 'secret-word' })).toContain('once): secret-word')
  const later = banner({ ...facts, newPassword: null })
  expect(later).not.toContain('secret-word')
  expect(later).toContain('note: not root')
  expect(later).toContain("echo 'temblor://127.0.0.1:8081/t?secret=s&ca=c' | sudo npx temblor init")
})
