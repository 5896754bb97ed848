import { expect, test } from 'vitest'
import type { AttackPreview } from '../../../shared/api/attacks.ts'
import { blastRadius, exitCodeOfPreview, previewLines } from './preview-view.ts'

const host = { client_id: 'web-1', guest_id: null, guest_name: null, cannot: null }
const container = (id: string, client = 'web-1') => ({
  client_id: client,
  guest_id: id,
  guest_name: `name-${id}`,
  cannot: null as string | null,
})
const preview: AttackPreview = {
  command_type: 'cpu',
  length_seconds: 60,
  params: {},
  would_start: true,
  problem: null,
  drawn: null,
  would_hit: [host],
  would_not_hit: [],
  warnings: [],
  missing: [],
}

test.each<[Partial<AttackPreview>, string]>([
  [{}, '1 host (web-1)'],
  [
    { would_hit: [container('a'), container('b'), container('c', 'web-2')] },
    '3 containers on 2 hosts (web-1/name-a, web-1/name-b, web-2/name-c)',
  ],
  [
    {
      would_hit: [host, { ...host, client_id: 'web-2' }],
      drawn: { count: 1, of: 2, unit: 'hosts' },
    },
    '1 of 2 hosts, drawn at random from web-1, web-2',
  ],
  [
    { would_hit: [container('a'), container('b')], drawn: { count: 1, of: 3, unit: 'hosts' } },
    'the containers of 1 of 3 hosts, drawn at random from web-1/name-a, web-1/name-b',
  ],
  [
    { would_hit: 'abcdefg'.split('').map((id) => container(id)) },
    '7 containers on 1 host (web-1/name-a, web-1/name-b, web-1/name-c, web-1/name-d, web-1/name-e, and 2 more)',
  ],
])('%j hits %s', (part, words) => {
  expect(blastRadius({ ...preview, ...part })).toBe(words)
})

const unable = { ...host, cannot: 'No tool.' }
test.each<[Partial<AttackPreview>, number]>([
  [{}, 0],
  [{ would_hit: [host, unable] }, 6],
  [{ would_hit: [unable] }, 3],
  [{ would_start: false, would_hit: [] }, 3],
])('%j ends with %d', (part, code) => {
  expect(exitCodeOfPreview({ ...preview, ...part })).toBe(code)
})

test('it says who would be hit, who could not, who not and why', () => {
  const lines = previewLines({
    ...preview,
    warnings: ['It will not come back by itself.'],
    would_hit: [host, { ...unable, client_id: 'web-2' }],
    would_not_hit: [
      { client_id: 'web-3', guest_id: null, reason: 'silent', explanation: 'Not heard.' },
    ],
  })
  expect(lines).toEqual([
    'cpu for 60 s would hit 2 hosts (web-1, web-2). Nothing was started.',
    'It will not come back by itself.',
    '',
    'COULD BE HIT  ITS AGENT CAN DO IT',
    'web-1         yes',
    'web-2         no: No tool.',
    '',
    'NOT HIT  WHY',
    'web-3    Not heard.',
  ])
})

test('it lasts for its length, or strikes when its delay is over', () => {
  const [lasting] = previewLines(preview)
  expect(lasting).toBe('cpu for 60 s would hit 1 host (web-1). Nothing was started.')
  const [striking] = previewLines({ ...preview, command_type: 'shutdown' })
  expect(striking).toBe('shutdown in 60 s would hit 1 host (web-1). Nothing was started.')
})
