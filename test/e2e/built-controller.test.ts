import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { repository } from '../support/command.ts'

const again = join(repository, 'dist-again')
const builder = join(repository, 'dist-again.mjs')
afterAll(() => {
  rmSync(again, { recursive: true, force: true })
  rmSync(builder, { force: true })
})

/** All files of a folder by name, except what says how it was made. */
function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'build.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return new Map(names.map((name) => [name.slice(folder.length), readFileSync(name, 'latin1')]))
}

describe('the built controller', () => {
  const built = filesOf(join(repository, 'dist-controller'))

  test('is the same, byte for byte, when it is built again', () => {
    writeFileSync(
      builder,
      `import { writeControllerBundle } from './deploy/setup/controller-bundle.mjs'
       const programs = { controller: 'controller/main.ts', admin: 'controller/admin/main.ts' }
       await writeControllerBundle('dist-again', programs, 'deploy/setup/build-controller.mjs')`,
    )
    execFileSync(process.execPath, [builder])
    expect(filesOf(again)).toEqual(built)
  })

  test('has the scripts and the wire contract beside it, and nothing of the machine in it', () => {
    expect([...built.keys()]).toEqual(
      expect.arrayContaining([
        '/controller.js',
        '/admin.js',
        '/hash-main.js',
        '/lua/now.lua',
        '/temblor/agent/v1/agent.proto',
      ]),
    )
    const telling = [...built].filter(([, text]) => text.includes(repository))
    expect(telling.map(([name]) => name)).toEqual([])
    // One other letter doubles the memory that the text of a program takes.
    const foreign = [...built].filter(
      ([name, text]) => name.endsWith('.js') && /[^\0-\x7f]/.test(text),
    )
    expect(foreign.map(([name]) => name)).toEqual([])
  })
})
