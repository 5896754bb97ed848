import { createInterface } from 'node:readline'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from './io.ts'

/** Whether a person sits there who can be asked. */
export function canAsk(io: CliIo): boolean {
  return io.isTerminal && io.stdin.isTTY
}

/** Asks yes or no on stderr. @throws CliError when the answer is Ctrl-C or the end of the input */
export async function ask(io: CliIo, question: string, fallback: boolean): Promise<boolean> {
  const reader = createInterface({ input: io.stdin, output: io.stderr })
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      const interrupted = () => reject(new CliError('Nothing was done.', exitCodes.interrupted))
      reader.once('SIGINT', interrupted).once('close', interrupted)
      reader.question(`${question} ${fallback ? '[Y/n]' : '[y/N]'} `, resolve)
    })
    return answer.trim() === '' ? fallback : /^y/i.test(answer.trim())
  } finally {
    reader.close()
  }
}

/** Asks for a line on stderr. @throws CliError when the answer is Ctrl-C or the end of the input */
export async function askLine(io: CliIo, question: string): Promise<string> {
  const reader = createInterface({ input: io.stdin, output: io.stderr })
  try {
    return await new Promise<string>((resolve, reject) => {
      const interrupted = () => reject(new CliError('Interrupted.', exitCodes.interrupted))
      reader.once('SIGINT', interrupted).once('close', interrupted)
      reader.question(question, resolve)
    })
  } finally {
    reader.close()
  }
}

/** Asks before something is done that hurts; without a person, or with `--yes`, it is just done. */
export async function confirm(io: CliIo, isSure: boolean, question: string): Promise<void> {
  if (isSure || !canAsk(io)) return
  if (!(await ask(io, question, false)))
    throw new CliError('Nothing was done.', exitCodes.interrupted)
}
