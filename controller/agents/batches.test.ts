import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Batches } from './batches.ts'

const away = () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' })

/** What is taken, and the ends of each step, in the hands of the test. */
function rig(most = 3) {
  const steps: { team: string; items: string[]; end: (by?: unknown) => void }[] = []
  const over = new Set<string>()
  const batches = new Batches<string, string>({
    keyOf: (item) => (/\d/.test(item) ? item[0] : undefined),
    superseded: 'newer',
    most,
    gatherMs: 50,
    isOver: (item) => over.has(item),
    take: (team, items) =>
      new Promise((resolve, reject) => {
        const end = (by?: unknown) => {
          if (by instanceof Error) reject(by)
          else resolve(items.slice(0, typeof by === 'number' ? by : items.length).map(upper))
        }
        steps.push({ team, items: [...items], end })
      }),
  })
  const taken = () => steps.map(({ items }) => items.join(''))
  const endLast = async (by?: unknown) => {
    steps.at(-1)?.end(by)
    await turn()
  }
  return { batches, steps, over, taken, endLast }
}

const upper = (text: string) => text.toUpperCase()
const letters = (text: string) => text.split('')

describe('what is taken to storage in batches', () => {
  it('goes at once when nothing is on its way, else with all that came meanwhile', async () => {
    const { batches, taken, endLast } = rig()
    void Promise.all(letters('abcdef').map((item) => batches.add('t', item)))
    expect(taken()).toEqual(['a'])
    // Teams do not wait for each other.
    void batches.add('other', 'x')
    expect(taken()).toEqual(['a', 'x'])
    await endLast()
    expect(taken()).toEqual(['a', 'x'])
  })

  it('keeps its order and its bound', async () => {
    const { batches, taken, endLast } = rig()
    const answers = Promise.all(letters('abcdef').map((item) => batches.add('t', item)))
    for (let i = 0; i < 3; i += 1) await endLast()
    expect(taken()).toEqual(['a', 'bcd', 'ef'])
    expect(await answers).toEqual(letters('ABCDEF'))
  })

  it('leaves out what something newer makes needless, in the place of the older', async () => {
    const { batches, steps, endLast } = rig()
    const items = ['a', 'b1', 'c', 'b2', 'd1', 'b3']
    const answers = Promise.all(items.map((item) => batches.add('t', item)))
    await endLast()
    expect(steps.at(-1)?.items).toEqual(['b3', 'c', 'd1'])
    // What is on its way already is not taken back.
    const next = batches.add('t', 'b4')
    await endLast()
    await endLast()
    expect([...(await answers), await next]).toEqual(['A', 'newer', 'C', 'newer', 'D1', 'B3', 'B4'])
  })

  it('says when so much waits that no more should be read', () => {
    const { batches } = rig()
    const add = (name: (at: number) => string) => {
      for (let at = 0; at <= 3 * 40; at += 1) void batches.add('t', name(at))
    }
    expect(batches.isCrowded('t')).toBe(false)
    // Of what something newer replaces, nothing piles up.
    add((at) => `${String.fromCodePoint(300 + at)}1`)
    expect(batches.isCrowded('t')).toBe(false)
    add((at) => `x${String.fromCodePoint(300 + at)}`)
    expect(batches.isCrowded('t')).toBe(true)
    expect(batches.isCrowded('other')).toBe(false)
  })

  it('comes again, before what is newer, when a step leaves it out', async () => {
    const { batches, taken, endLast } = rig()
    const answers = Promise.all(letters('abcd').map((item) => batches.add('t', item)))
    await endLast()
    void batches.add('t', 'e')
    await endLast(1)
    expect(taken()).toEqual(['a', 'bcd', 'cde'])
    await endLast()
    expect(await answers).toEqual(letters('ABCD'))
  })

  it('is tried alone when a step is refused, so that one does not end the others', async () => {
    const { batches, steps, taken, endLast } = rig()
    const answers = Promise.allSettled(letters('abc').map((item) => batches.add('t', item)))
    await endLast()
    await endLast(new Error('something is wrong with it'))
    expect(taken()).toEqual(['a', 'bc', 'b'])
    await endLast(new Error('it is this one'))
    expect(steps.at(-1)?.items).toEqual(['c'])
    await endLast()
    expect((await answers).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })

  describe('as time goes by', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    it('is gathered for a while when nothing of it is urgent', async () => {
      const { batches, taken, endLast } = rig(10)
      void batches.add('t', 'a', false)
      expect(taken()).toEqual(['a'])
      await endLast()
      void batches.add('t', 'b', false)
      void batches.add('t', 'c', false)
      await vi.advanceTimersByTimeAsync(49)
      expect(taken()).toEqual(['a'])
      await vi.advanceTimersByTimeAsync(1)
      expect(taken()).toEqual(['a', 'bc'])
      await endLast()
      void batches.add('t', 'd', false)
      // What is urgent takes along what waits before it.
      void batches.add('t', 'e')
      expect(taken()).toEqual(['a', 'bc', 'de'])
    })
  })

  it('waits for storage in its order, but for nobody who has gone', async () => {
    const { batches, over, taken, endLast } = rig()
    const answers = Promise.allSettled(letters('abc').map((item) => batches.add('t', item)))
    await endLast()
    over.add('b')
    await endLast(away())
    void batches.add('t', 'd')
    await vi.waitFor(() => expect(taken()).toEqual(['a', 'bc', 'cd']), 2_000)
    await endLast()
    expect((await answers).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })
})
