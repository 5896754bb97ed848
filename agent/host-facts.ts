/**
 * Says what systeminformation knows of the operating system, as one JSON line, and ends. A process
 * of its own: it takes an eighth of a second, blocks meanwhile and leaves 5 MB of memory in use.
 */
import systeminformation from 'systeminformation'

const { platform, distro, release } = await systeminformation.osInfo()
process.stdout.write(`${JSON.stringify({ platform, distro, release })}\n`)
