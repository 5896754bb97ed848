import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { candidateNames, findInHosts, lookUp, onTheWire, parseResolvConf } from './name-lookup.ts'

describe('resolv.conf', () => {
  it('is read as resolv.conf(5) has it', () => {
    const text = `
# of the cluster
; and another comment
nameserver 10.0.0.10
nameserver   fd00::a # the second
nameserver fe80::1%eth0
nameserver not-an-address
search a.example  b.example
options timeout:2 ndots:5 rotate
`
    expect(parseResolvConf(text)).toEqual({
      servers: ['10.0.0.10', 'fd00::a', 'fe80::1%eth0'],
      search: ['a.example', 'b.example'],
      ndots: 5,
    })
  })

  it('is not followed without end', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => at)
    const servers = many.map((at) => `nameserver 10.0.${at % 250}.1`)
    const text = [...servers, `search ${many.map((at) => `d${at}`).join(' ')}`].join('\n')
    const { servers: asked, search: searched } = parseResolvConf(text)
    expect([asked.length, searched.length]).toEqual([3, 32])
    const addresses = many.map((at) => `10.1.${at >> 8}.${at & 255}`)
    expect(onTheWire(addresses)).toHaveLength(1_000)
  })

  it('means the local server when it names none, or is not there', () => {
    expect(parseResolvConf('')).toEqual({ servers: ['127.0.0.1'], search: [], ndots: 1 })
  })

  it.each([
    ['search .', []],
    ['search . corp.example.', ['corp.example']],
    ['domain one.example\nsearch two.example', ['two.example']],
  ])('%s searches %j', (text, search) => {
    expect(parseResolvConf(text).search).toEqual(search)
  })
})

describe('full names', () => {
  const search = ['a.example', 'b.example']
  it.each([
    ['db', 1, ['db.a.example', 'db.b.example', 'db']],
    ['db.shop', 1, ['db.shop', 'db.shop.a.example', 'db.shop.b.example']],
    ['db.shop', 2, ['db.shop.a.example', 'db.shop.b.example', 'db.shop']],
  ])('%s with ndots:%i is looked for as %j', (name, ndots, names) => {
    expect(candidateNames(name, { servers: [], search, ndots })).toEqual(names)
  })
})

describe('a hosts file', () => {
  const text = `
127.0.0.1\tlocalhost
10.0.0.5   db.example DB  # the old one
10.0.0.6   db
fd00::6 db
#10.0.0.7 db
nonsense db
`
  it('gives every address of a name, of both families', () => {
    expect(findInHosts(text, 'db')).toEqual(['10.0.0.5', '10.0.0.6', 'fd00::6'])
    expect(findInHosts(text, 'db.example')).toEqual(['10.0.0.5'])
  })

  it('does not know parts of names', () => {
    expect(findInHosts(text, 'example')).toEqual([])
  })
})

describe('addresses', () => {
  it('are what is on the wire, each once', () => {
    const found = [
      '10.0.0.5',
      'fe80::1%eth0',
      'FD00:0::5',
      '::ffff:10.0.0.5',
      'fd00::5',
      'nonsense',
    ]
    expect(onTheWire(found)).toEqual(['10.0.0.5', 'fe80::1', 'fd00::5'])
  })
})

describe('looking up below a root', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'temblor-root-'))
    mkdirSync(join(root, 'etc'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  it('takes what its hosts file says, and asks nobody', async () => {
    writeFileSync(join(root, 'etc/hosts'), 'fe80::9%eth0 db\n::ffff:10.0.0.9 db\n')
    expect(await lookUp('db', root)).toEqual(['fe80::9', '10.0.0.9'])
  })
})
