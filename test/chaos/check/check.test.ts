import { describe, expect, test } from 'vitest'
import { calmAfter, type Create, type Effect, type History, type Outage } from '../history.ts'
import { check } from './check.ts'

const host = { name: 'h1', team: 'red' }
const second = 1_000

/** One attack of 10 s on h1, asked for at 10 s, carried out and read; nothing is wrong with it. */
const create: Create = {
  kind: 'create',
  begin: 10 * second,
  end: 10.1 * second,
  status: 201,
  team: 'red',
  key: 'k1',
  hosts: ['h1'],
  count: 1,
  lengthMs: 10 * second,
  attack: 'a1',
}
const effect: Effect = {
  execution: 'e1',
  attack: 'a1',
  host: 'h1',
  lengthMs: 10 * second,
  begin: 10.2 * second,
  end: 20.2 * second,
}
const row = { id: 'e1', host: 'h1', stage: 'Successful', reason: 'completed' } as const
const good: History = {
  seed: 1,
  bounds: { leaseMs: 1_500, deadManMs: 3_000, reachMs: 2_000, slackMs: 1_000 },
  hosts: [host, { name: 'h2', team: 'red' }, { name: 'b1', team: 'blue' }],
  requests: [create, { ...create, begin: 11 * second, end: 11.1 * second }],
  effects: [effect],
  outages: [],
  attacks: [{ id: 'a1', team: 'red', executions: [row] }],
  journals: [{ host: 'h1', execution: 'e1', state: 'DONE' }],
  until: 24 * second,
}
const halt = { kind: 'halt', status: 202, team: 'red', attack: 'a1' } as const
const halted = { ...row, stage: 'UserHalted', reason: 'halted' } as const
const open = { ...row, stage: 'TearingDown', reason: undefined } as const
const aborted = { ...row, stage: 'ClientAborted', reason: 'agent_restarted' } as const
const revoke = { kind: 'revoke', host: 'h1', status: 200, begin: 8 * second, end: 8.1 * second }
const activate = { ...revoke, kind: 'activate', begin: 9 * second, end: 9.1 * second } as const
const random: Create = { ...create, hosts: undefined }

function ended(executions: History['attacks'][number]['executions']): Partial<History> {
  return { attacks: [{ id: 'a1', team: 'red', executions }] }
}
function outage(part: Outage['part'], begin: number, end: number): Outage {
  return { part, kind: 'cut', begin: begin * second, end: end * second }
}
function halting(end: number, outages: Outage[] = []): Partial<History> {
  return {
    ...ended([halted]),
    requests: [create, { ...halt, begin: 12 * second, end: 12.1 * second }],
    effects: [{ ...effect, end: end * second }],
    outages,
  }
}
function reading(executions: (typeof row | typeof halted)[], atSecond: number): Partial<History> {
  const times = { begin: atSecond * second, end: (atSecond + 0.1) * second, status: 200 }
  return { requests: [create, { kind: 'read', attack: 'a1', executions, ...times }] }
}

test('an ordinary history is good', () => {
  expect(check(good)).toEqual([])
})

/** What is wrong, the history that shows it, and one that differs in this alone and is good. */
const cases: [string, Partial<History>, Partial<History>][] = [
  [
    'what was answered with 201 is on record',
    { attacks: [], effects: [], journals: [] },
    { attacks: [], effects: [], journals: [], requests: [] },
  ],
  ['in the end every execution is over, with its reason', ended([open]), ended([aborted])],
  [
    'what is said to have been carried out was, and what is said not to have begun did not',
    { effects: [] },
    { effects: [], ...ended([aborted]) },
  ],
  [
    'what is said to have been carried out was, and what is said not to have begun did not',
    ended([{ ...aborted, reason: 'expired_before_start' }]),
    { ...ended([{ ...aborted, reason: 'expired_before_start' }]), effects: [] },
  ],
  [
    'the same idempotency key is the same attack',
    {
      requests: [create, { ...create, attack: 'a2' }],
      attacks: [...good.attacks, { id: 'a2', team: 'red', executions: [{ ...aborted, id: 'e2' }] }],
    },
    {
      requests: [create, { ...create, attack: 'a2', key: 'k2' }],
      attacks: [...good.attacks, { id: 'a2', team: 'red', executions: [{ ...aborted, id: 'e2' }] }],
    },
  ],
  [
    'no attack exists that nobody asked for',
    {
      attacks: [...good.attacks, { id: 'a2', team: 'red', executions: [{ ...aborted, id: 'e2' }] }],
    },
    {
      attacks: [...good.attacks, { id: 'a2', team: 'red', executions: [{ ...aborted, id: 'e2' }] }],
      requests: [
        create,
        { ...create, key: undefined, attack: undefined, end: undefined, status: 0 },
      ],
    },
  ],
  [
    'an end that was read stays, and nothing happens after it',
    { ...reading([row], 15), effects: [{ ...effect }] },
    reading([row], 21),
  ],
  [
    'an end that was read stays, and nothing happens after it',
    reading([halted], 21),
    reading([row], 21),
  ],
  [
    'in the end every journal is closed, and holds whatever was done',
    { journals: [{ host: 'h1', execution: 'e1', state: 'ACTIVE' }] },
    { journals: [...good.journals, { host: 'h2', execution: 'e9', state: 'DONE' }] },
  ],
  [
    'in the end every journal is closed, and holds whatever was done',
    { journals: [{ host: 'h2', execution: 'e1', state: 'DONE' }] },
    {},
  ],
  [
    'an execution has one effect at most',
    { effects: [effect, { ...effect, begin: 20.4 * second, end: 20.5 * second }] },
    { effects: [effect] },
  ],
  [
    'an effect is gone 5 s after its deadline, whoever has died',
    { effects: [{ ...effect, end: 25.3 * second }] },
    { effects: [{ ...effect, end: 25.1 * second }] },
  ],
  [
    'an effect is gone 5 s after its deadline, whoever has died',
    { ...ended([open]), effects: [{ ...effect, end: undefined }], until: 25.3 * second },
    { effects: [{ ...effect, end: 25.1 * second }], until: 25.3 * second },
  ],
  [
    'what is over on record has no effect any more',
    { effects: [{ ...effect, end: undefined }] },
    {},
  ],
  [
    'what was halted ends as soon as its host can be reached, and does not begin again',
    halting(16),
    halting(15),
  ],
  [
    'what was halted ends as soon as its host can be reached, and does not begin again',
    halting(18, [outage('agent:h2', 13, 16)]),
    halting(18, [outage('redis', 13, 16)]),
  ],
  [
    'an agent that cannot hear its controller ends what it runs',
    { outages: [outage('link:h1', 11, 19)], effects: [effect] },
    { outages: [outage('link:h1', 11, 19), outage('agent:h1', 12, 13)], effects: [effect] },
  ],
  [
    'an effect is on the host that its execution names, in the team that asked',
    {
      effects: [{ ...effect, host: 'h2' }],
      journals: [{ host: 'h2', execution: 'e1', state: 'DONE' }],
    },
    {},
  ],
  [
    'an effect is on the host that its execution names, in the team that asked',
    {
      effects: [effect, { ...effect, execution: 'e9' }],
      journals: [...good.journals, { host: 'h1', execution: 'e9', state: 'DONE' }],
    },
    {},
  ],
  [
    'exactly those hosts are chosen that were asked for, of the own team',
    ended([row, { ...aborted, id: 'e2', host: 'h2' }]),
    {
      ...ended([row, { ...aborted, id: 'e2', host: 'h2' }]),
      requests: [{ ...create, hosts: ['h2', 'h1'] }],
    },
  ],
  [
    'exactly those hosts are chosen that were asked for, of the own team',
    { ...ended([{ ...aborted, host: 'b1' }]), requests: [random], effects: [] },
    { ...ended([{ ...aborted, host: 'h2' }]), requests: [random], effects: [] },
  ],
  [
    'no host is chosen that was silent for longer than its lease',
    { outages: [outage('agent:h1', 7, 10.15)] },
    { outages: [outage('agent:h1', 8, 10.15)] },
  ],
  [
    'no host is chosen that was silent for longer than its lease',
    { outages: [outage('link:h1', 7, 10.15), outage('controller:c2', 9, 9.1)] },
    { outages: [outage('link:h1', 7, 10.15), outage('controller:c2', 8, 9)] },
  ],
  [
    'nothing begins on a host that is revoked, and it is not chosen',
    { requests: [revoke as never, create] },
    { requests: [revoke as never, activate, create] },
  ],
  [
    'nothing begins on a host that is revoked, and it is not chosen',
    { requests: [{ ...activate, begin: 7 * second, end: 7.1 * second }, revoke as never, create] },
    { requests: [{ ...activate, begin: 7 * second }, revoke as never, create] },
  ],
]

describe('what is wrong is found, and its twin is good', () => {
  test.each(cases)('%s (%#)', (name, bad, twin) => {
    expect(check({ ...good, ...twin })).toEqual([])
    const found = check({ ...good, ...bad })
    expect(found.map(({ invariant }) => invariant)).toContain(name)
    for (const { what } of found) expect(what).not.toBe('')
  })
})

test('a calm begins after what hinders, however it overlaps', () => {
  const outages = [outage('redis', 1, 2), outage('link:h1', 1.5, 4), outage('redis', 5, 6)]
  expect(calmAfter(outages, 0, 500)).toBe(500)
  expect(calmAfter(outages, 0, 2 * second)).toBe(8 * second)
  expect(calmAfter(outages, 3 * second, 1 * second)).toBe(5 * second)
})
