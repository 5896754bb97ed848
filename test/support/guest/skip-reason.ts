import { existsSync, readFileSync } from 'node:fs'
import { guestDisks } from './guest.ts'
import { tool } from './tool.ts'

/** The programs that make and run guests, by Debian package. */
const programs = {
  'qemu-system-x86': 'qemu-system-x86_64',
  'qemu-utils': 'qemu-img',
  mmdebstrap: 'mmdebstrap',
  e2fsprogs: 'mke2fs',
  cpio: 'cpio',
  'util-linux': 'setpriv',
}

/** Why tests with guests cannot run here, or undefined when they can; then the image is there. */
export const guestSkipReason = await findSkipReason()

async function findSkipReason(): Promise<string | undefined> {
  if (process.env['TEMBLOR_SKIP_GUESTS_REASON']) return process.env['TEMBLOR_SKIP_GUESTS_REASON']
  if (process.getuid?.() !== 0) return 'not root'
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'not Linux on x86-64'
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  if (!/^ID=debian$/m.test(release)) return 'not Debian, from whose packages guests are made'
  const found = await Promise.all(
    Object.entries(programs).map(async ([name, program]) => {
      const isThere = await tool(program, ['--version']).then(
        () => true,
        () => program === 'mke2fs',
      )
      return isThere ? [] : [name]
    }),
  )
  const missing = found.flat()
  if (missing.length > 0) return `these packages are not installed: ${missing.join(', ')}`
  try {
    await guestDisks()
    return undefined
  } catch (error) {
    return `no image of a guest can be made here: ${String(error)}`
  }
}
