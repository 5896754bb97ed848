import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { compiledCode } from './helper-process.ts'
import { programPath, type ProgramName } from './program.ts'

const run = promisify(execFile)

/**
 * Runs one of the agent's own programs to its end. @returns the JSON that it printed
 * @throws Error when it fails or takes longer than `timeoutMs`
 */
export async function askProgram(
  program: ProgramName,
  args: readonly string[],
  timeoutMs: number,
): Promise<unknown> {
  const env = { PATH: process.env['PATH'], ...compiledCode() }
  const file = programPath(program)
  const options = { timeout: timeoutMs, cwd: '/', env }
  const { stdout } = await run(process.execPath, [file, ...args], options)
  return JSON.parse(stdout)
}
