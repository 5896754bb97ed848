import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type * as Bundle from './bundle.js'

let root: string
let bundle: typeof Bundle

/** A project with one source, and this file at its place in it. */
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'temblor-bundle-'))
  const file = join(root, 'agent/cli/bundle.js')
  cpSync(join(import.meta.dirname, 'bundle.js'), file)
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(root, 'agent/main.ts'), 'one')
  bundle = (await import(pathToFileURL(file).href)) as typeof Bundle
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function pretendBuilt(inputs: readonly string[]): void {
  mkdirSync(join(root, 'dist'), { recursive: true })
  const manifest = { inputs, digest: bundle.digestOf(inputs) }
  writeFileSync(join(root, 'dist/build.json'), JSON.stringify(manifest))
}

it('is fresh for exactly the sources that it was made of', () => {
  pretendBuilt(['agent/main.ts', 'package.json'])
  expect(bundle.isFresh()).toBe(true)
  writeFileSync(join(root, 'agent/main.ts'), 'two')
  expect(bundle.isFresh()).toBe(false)
  writeFileSync(join(root, 'agent/main.ts'), 'one')
  expect(bundle.isFresh()).toBe(true)
  rmSync(join(root, 'agent/main.ts'))
  expect(bundle.isFresh()).toBe(false)
})

it('is not fresh where nothing was built, and not made where nothing can build', () => {
  expect(bundle.isFresh()).toBe(false)
  expect(bundle.ensureBundle()).toBe(false)
  expect(bundle.ensureBundle('dist-controller')).toBe(false)
})
