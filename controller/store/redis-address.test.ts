import { expect, test } from 'vitest'
import { readRedisUrl } from './redis-address.ts'

const nobody = { username: undefined, password: undefined }

test('one server is an address or a socket', () => {
  expect(readRedisUrl('redis://127.0.0.1:6379/2').kind).toBe('single')
  expect(readRedisUrl('rediss://u:p@redis.example').kind).toBe('single')
  expect(readRedisUrl('unix:///run/redis.sock')).toEqual({
    kind: 'socket',
    path: '/run/redis.sock',
  })
})

test('a Cluster is some of its nodes, with or without ports, TLS and a login', () => {
  expect(readRedisUrl('redis+cluster://a.example:7000,10.0.0.2,[fd00::1]:7001')).toEqual({
    kind: 'cluster',
    isTls: false,
    ...nobody,
    nodes: [
      { host: 'a.example', port: 7000 },
      { host: '10.0.0.2', port: 6379 },
      { host: 'fd00::1', port: 7001 },
    ],
  })
  expect(readRedisUrl('rediss+cluster://me:p%40:ss@a:1')).toEqual({
    kind: 'cluster',
    isTls: true,
    username: 'me',
    password: 'p@:ss',
    nodes: [{ host: 'a', port: 1 }],
  })
  expect(readRedisUrl('redis+cluster://:secret@a:1')).toMatchObject({
    username: undefined,
    password: 'secret',
  })
})

test('Sentinels come with the name of their master', () => {
  expect(readRedisUrl('redis+sentinel://a,b:26380/temblor')).toEqual({
    kind: 'sentinel',
    name: 'temblor',
    isTls: false,
    ...nobody,
    nodes: [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 26_380 },
    ],
  })
})

test.each([
  'http://127.0.0.1:6379',
  'redis://',
  'redis+cluster://',
  'redis+cluster://a:0',
  'redis+cluster://a:65536',
  'redis+cluster://a:1,,b:2',
  'redis+cluster://a:1/0',
  'redis+sentinel://a:1',
  'redis+cluster://:topsecret@a:x',
  'redis+cluster://:top%secret@a:1',
])('%s names no Redis, and what is said of it tells no password', (url) => {
  const read = () => readRedisUrl(url)
  expect(read).toThrow(/^Allowed: redis:\/\/host:port, .*redis\+cluster:/)
  expect(read).not.toThrow(/secret/)
})
