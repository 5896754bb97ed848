import { spawn } from 'node:child_process'
import { FaultError } from '../faults/fault.ts'

/** A tool of the host said no. */
export class ToolError extends Error {
  readonly tool: string
  readonly stderr: string
  constructor(tool: string, stderr: string) {
    super(`${tool}: ${stderr.trim().split('\n')[0] || 'it failed without a word'}`)
    this.name = 'ToolError'
    this.tool = tool
    this.stderr = stderr
  }
}

const timeoutMs = 10_000
/** Daemons' folders are not on every PATH, and messages are matched in English. */
const env = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
}

const packages: Record<string, string> = {
  nft: 'nftables',
  tc: 'iproute2',
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
}

/**
 * Runs a tool of the host to its end and gives what it printed.
 * @throws FaultError `missing-tool` naming what to install; ToolError when it fails
 */
export function runTool(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: 'pipe' })
    // Not the timeout of spawn: for a program that is not there it would keep this process for as long.
    const timer = setTimeout(() => child.kill(), timeoutMs)
    let output = ''
    let complaint = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      reject(error.code === 'ENOENT' ? missingTool(program) : error)
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve(output)
      else reject(new ToolError(toolName(program, args), complaint))
    })
  })
}

/** What is run through nsenter is what people know. */
function toolName(program: string, args: readonly string[]): string {
  return program === 'nsenter' ? (args[args.indexOf('--') + 1] ?? program) : program
}

function missingTool(program: string): FaultError {
  const where = packages[program]
  const hint = where ? ` Install the package ${where}.` : ''
  return new FaultError('missing-tool', `The program ${program} is not installed.${hint}`)
}
