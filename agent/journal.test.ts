import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { Journal, type JournalEntry } from './journal.ts'

const hourMs = 3_600_000
let folder: string
let nowMs: number
const open = () => new Journal(folder, { nowMs: () => nowMs })
const full = (limits: { entries: number; text: number }) =>
  new Journal(folder, { nowMs: () => nowMs, limits })
const files = () => readdirSync(join(folder, 'journal')).length

function entry(executionId: string, state: JournalEntry['state'] = 'RECEIVED') {
  return {
    executionId,
    generation: 1,
    attackId: 'a',
    attackType: 'cpu',
    params: {},
    local: false,
    bootId: 'boot',
    state,
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temblor-journal-'))
  nowMs = 1_000_000
})

describe('the journal', () => {
  it('finds everything again after a crash', () => {
    open().create(entry('one'))
    open().update('one', { state: 'APPLYING', undo: [{ marker: 'm' }] })
    expect(open().get('one')).toMatchObject({ state: 'APPLYING', undo: [{ marker: 'm' }] })
  })

  it('keeps its files to itself and leaves no temporary ones', () => {
    open().create(entry('one'))
    expect(readdirSync(join(folder, 'journal'))).toEqual(['one.json'])
    expect(statSync(join(folder, 'journal/one.json')).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'journal')).mode & 0o777).toBe(0o700)
  })

  it('refuses ids that are not file names', () => {
    for (const id of ['../x', '', 'a/b', '.hidden', 'x'.repeat(65)])
      expect(() => open().create(entry(id))).toThrow('not one')
  })

  it('puts unreadable files aside', () => {
    open()
    writeFileSync(join(folder, 'journal/broken.json'), '{')
    const journal = open()
    expect(journal.entries()).toEqual([])
    expect(journal.unreadable).toEqual(['broken.json'])
    expect(readdirSync(join(folder, 'journal'))).toEqual(['broken.json.unreadable'])
  })

  it('forgets what is over and reported after an hour, and nothing else', () => {
    const journal = open()
    journal.create(entry('running'))
    journal.create(entry('unreported', 'DONE'))
    journal.create(entry('reported', 'DONE'))
    journal.update('reported', { acknowledged: true })
    nowMs += hourMs - 1
    journal.prune()
    expect(journal.entries()).toHaveLength(3)
    nowMs += 1
    journal.prune()
    expect(
      open()
        .entries()
        .map(({ executionId }) => executionId),
    ).toEqual(['running', 'unreported'])
  })

  describe('that is full', () => {
    it('takes no more orders, and still tells and ends those that it has', () => {
      const journal = full({ entries: 2, text: 1_000_000 })
      for (const id of ['one', 'two']) journal.create(entry(id))
      expect(() => journal.create(entry('three'))).toThrow('full')
      expect(() => full({ entries: 2, text: 1_000_000 }).create(entry('three'))).toThrow('full')
      expect(files()).toBe(2)
      journal.update('one', { state: 'DONE', acknowledged: true })
      expect(journal.get('one')?.state).toBe('DONE')
      nowMs += hourMs
      journal.create(entry('three'))
      expect(journal.entries().map(({ executionId }) => executionId)).toEqual(['two', 'three'])
    })

    it('counts how much it holds, not only how many', () => {
      const journal = full({ entries: 100, text: 10_000 })
      journal.create({ ...entry('long', 'DONE'), attackType: 'x'.repeat(20_000) })
      expect(() => journal.create(entry('next'))).toThrow('full')
      journal.update('long', { attackType: 'cpu' })
      journal.create(entry('next'))
      expect(files()).toBe(2)
    })
  })
})
