import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Debian keeps some of them where an ordinary user's path does not lead. */
const searchPath = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`

/** Runs a program of this machine to its end. @returns stdout @throws Error with the end of stderr */
export async function tool(
  program: string,
  args: readonly string[],
  options: { cwd?: string; input?: string } = {},
): Promise<string> {
  const { cwd, input } = options
  try {
    const running = run(program, [...args], {
      ...(cwd ? { cwd } : {}),
      env: { ...process.env, PATH: searchPath, LC_ALL: 'C' },
      maxBuffer: 64 * 1024 * 1024,
    })
    // A program that does not read to the end is no reason to fail.
    running.child.stdin?.on('error', () => {}).end(input ?? '')
    return (await running).stdout
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    const last = (stderr ?? '').trim().split('\n').slice(-5).join('\n')
    throw new Error(`${program} failed: ${last || message}`, { cause: error })
  }
}
