import { expect, test } from 'vitest'
import { createSseParser } from './parse-sse.ts'

const stream = [
  'retry: 1000\n\n',
  ': still here\n\n',
  'id: 5-0\nevent: execution\ndata: {"a":\ndata: 1}\n\n',
  'data:no space\n\n',
  'event: end\ndata\n\n',
].join('')

const events = [
  { name: 'execution', id: '5-0', data: '{"a":\n1}' },
  { name: 'message', id: '5-0', data: 'no space' },
  { name: 'end', id: '5-0', data: '' },
]

test('reads events, ids and the retry time, and passes over comments', () => {
  const parser = createSseParser()
  expect(parser.push(stream)).toEqual(events)
  expect(parser.retryMs).toBe(1000)
})

test.each(['\n', '\r\n', '\r'])(
  'it does not matter where it is cut, with %j as line end',
  (end) => {
    const text = stream.replaceAll('\n', end)
    for (let size = 1; size < 12; size += 1) {
      const parser = createSseParser()
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      // The end of a lone CR is only known with what follows it.
      expect([...pieces, ':'].flatMap((piece) => parser.push(piece))).toEqual(events)
    }
  },
)

test('an event that is cut off at the end of the stream is not told', () => {
  expect(createSseParser().push('event: execution\ndata: {}\n')).toEqual([])
})

test('a byte order mark and ids with NUL are ignored, a senseless retry too', () => {
  const parser = createSseParser()
  expect(parser.push('\uFEFFid: 1\ndata: x\n\nid: a\0b\nretry: soon\ndata: y\n\n')).toEqual([
    { name: 'message', id: '1', data: 'x' },
    { name: 'message', id: '1', data: 'y' },
  ])
  expect(parser.retryMs).toBeUndefined()
})
