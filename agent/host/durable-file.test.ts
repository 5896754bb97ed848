import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeDurably } from './durable-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temblor-durable-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Replaces the file in a process whose files may be only so long, in blocks of 512 bytes. */
function replace(path: string, letters: number, blocks: number): { code: number; stderr: string } {
  const program = new URL('durable-file.ts', import.meta.url).href
  const script = `
    const { writeDurably } = await import(${JSON.stringify(program)})
    writeDurably(${JSON.stringify(path)}, 'n'.repeat(${letters}))`
  const command = `ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`
  const done = spawnSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' })
  return { code: done.status ?? -1, stderr: done.stderr }
}

describe('a file that is replaced', () => {
  it('stays as it was when only a part of the new text can be written', () => {
    const path = join(folder, 'one.json')
    writeDurably(path, 'old')
    // A part is taken first: the system complains at the rest only.
    const { code, stderr } = replace(path, 10_000, 8)
    expect(stderr).toContain('EFBIG')
    expect(code).not.toBe(0)
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['one.json'])
  })

  it('holds the new text when all of it can', () => {
    const path = join(folder, 'one.json')
    writeDurably(path, 'old')
    expect(replace(path, 4000, 8)).toMatchObject({ code: 0 })
    expect(readFileSync(path, 'utf8')).toBe('n'.repeat(4000))
  })
})
