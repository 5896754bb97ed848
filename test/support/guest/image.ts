import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cached } from './cache.ts'
import * as recipe from './recipe.ts'
import { tool } from './tool.ts'

/** A Debian system that QEMU can boot. */
export interface GuestImage {
  /** An ext4 disk; a guest writes to a layer of its own above it. */
  readonly disk: string
  readonly kernel: string
  readonly initrd: string
}

/** Sparse: what is not written takes no room. */
const diskSize = '4G'

/**
 * The image of the recipe, from the cache or built from Debian packages (a minute).
 * @throws Error when packages cannot be had
 */
export async function guestImage(): Promise<GuestImage> {
  const sources = await aptSources()
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
  const key = JSON.stringify([1, recipe, recipe.initScript([]), suite, diskSize])
  const folder = await cached('image', key, async (fresh) => {
    const root = join(fresh, 'root')
    await installPackages(root, suite, sources)
    await settle(root)
    await buildInitrd(root, fresh)
    copyFileSync(globOne(join(root, 'boot/vmlinuz-*')), join(fresh, 'kernel'))
    rmSync(join(root, 'boot'), { recursive: true })
    mkdirSync(join(root, 'boot'))
    await makeExt4(root, join(fresh, 'disk.raw'), diskSize)
    rmSync(root, { recursive: true })
  })
  return {
    disk: join(folder, 'disk.raw'),
    kernel: join(folder, 'kernel'),
    initrd: join(folder, 'initrd'),
  }
}

/** Makes an ext4 disk image with the files of a folder. The size is as mke2fs takes it. */
export async function makeExt4(folder: string, disk: string, size: string): Promise<void> {
  const lazily = 'lazy_itable_init=1,lazy_journal_init=1'
  await tool('mke2fs', [
    '-q',
    '-F',
    '-t',
    'ext4',
    '-m',
    '0',
    '-E',
    lazily,
    '-d',
    folder,
    disk,
    size,
  ])
}

/** The lines of this machine's own Debian sources: its mirror is the one that can be reached. */
async function aptSources(): Promise<string[]> {
  const format = '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)'
  const targets = await tool('apt-get', [
    'indextargets',
    '--format',
    format,
    'Created-By: Packages',
  ])
  const lines = targets.split('\n').filter((line) => line.startsWith('Debian deb '))
  return [...new Set(lines.map((line) => line.slice('Debian '.length)))]
}

async function installPackages(root: string, suite: string, sources: string[]): Promise<void> {
  const args = ['--mode=root', '--format=directory', '--variant=essential', '--skip=check/empty']
  args.push('--dpkgopt=force-unsafe-io', `--include=${recipe.packages.join(',')}`)
  args.push(...recipe.leftOut.map((path) => `--dpkgopt=path-exclude=${path}`))
  // Without sources of its own mmdebstrap takes Debian's public mirror.
  await tool('mmdebstrap', [...args, suite, root, ...sources])
}

/** Writes our files and says which units start. */
async function settle(root: string): Promise<void> {
  mkdirSync(join(root, recipe.projectDir), { recursive: true })
  for (const [path, text, mode] of recipe.files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    rmSync(join(root, path), { force: true })
    writeFileSync(join(root, path), text)
    chmodSync(join(root, path), mode)
  }
  const systemctl = (...args: string[]) => tool('chroot', [root, 'systemctl', '--quiet', ...args])
  await systemctl('disable', ...recipe.disabled)
  await systemctl('enable', ...recipe.enabled)
  await systemctl('mask', ...recipe.masked)
  await systemctl('set-default', 'multi-user.target')
}

/** A busybox with the modules that lead to the disks; everything else is in the image. */
async function buildInitrd(root: string, target: string): Promise<void> {
  const folder = join(target, 'initrd-root')
  for (const name of ['bin', 'dev', 'modules', 'root'])
    mkdirSync(join(folder, name), { recursive: true })
  copyFileSync(join(root, 'usr/bin/busybox'), join(folder, 'bin/busybox'))
  const files = moduleFiles(globOne(join(root, 'usr/lib/modules/*')))
  for (const file of files) copyFileSync(file, join(folder, 'modules', basename(file)))
  const modules = files.map((file) => basename(file, '.ko'))
  writeFileSync(join(folder, 'init'), recipe.initScript(modules), { mode: 0o755 })
  const paths = globSync('**', { cwd: folder }).join('\n')
  const args = ['--quiet', '-o', '-H', 'newc', '-O', join(target, 'initrd')]
  await tool('cpio', args, { cwd: folder, input: paths })
  rmSync(folder, { recursive: true })
}

/** The files of the modules to load, each after those it needs. */
function moduleFiles(folder: string): string[] {
  const lines = readFileSync(join(folder, 'modules.dep'), 'utf8').split('\n')
  const found = recipe.bootModules.flatMap((name) => {
    const line = lines.find((one) => one.includes(`/${name}.ko:`))
    if (line === undefined) throw new Error(`The guest's kernel has no module ${name}.`)
    // modules.dep names first what is loaded last.
    return line.replace(':', '').trim().split(' ').toReversed()
  })
  return [...new Set(found)].map((file) => join(folder, file))
}

function globOne(pattern: string): string {
  const [found, ...more] = globSync(pattern)
  if (found === undefined || more.length > 0)
    throw new Error(`${pattern} should be one file, not ${more.length + (found ? 1 : 0)}.`)
  return found
}
