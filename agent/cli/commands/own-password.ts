import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { apiBaseUrl, readCredentials } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'

/** Where somebody signs in, and as whom: as they say, else as the last time. @throws CliError when neither says it */
export function signInTarget(
  io: CliIo,
  options: { readonly url?: string; readonly email?: string },
): { baseUrl: string; email: string } {
  const known = readCredentials(io.env)
  const url = options.url ?? io.env['TEMBLOR_URL'] ?? known?.baseUrl
  return {
    baseUrl: apiBaseUrl(required(url, '--url')),
    email: required(options.email ?? known?.email, '--email'),
  }
}

function required(value: string | undefined, option: string): string {
  if (!value) throw new CliError(`${option} is missing.`, exitCodes.usage)
  return value
}

/** The password from TEMBLOR_PASSWORD, from stdin, or asked for. @throws CliError when there is none */
export async function ownPassword(io: CliIo, email: string): Promise<string> {
  return io.env['TEMBLOR_PASSWORD'] ?? (await readPassword(io, email))
}

async function readPassword(io: CliIo, email: string): Promise<string> {
  const isTyped = isatty(0)
  if (isTyped) io.draw(`Password of ${email}: `)
  // On a terminal nothing is echoed: what is read is written to nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: io.stdin, output: nowhere, terminal: isTyped })
  try {
    const line = await new Promise<string | undefined>((resolve, reject) => {
      reader.once('line', resolve)
      reader.once('close', () => resolve(undefined))
      reader.once('SIGINT', () => reject(new CliError('Interrupted.', exitCodes.interrupted)))
    })
    if (!line) throw new CliError('No password was given.', exitCodes.usage)
    return line
  } finally {
    if (isTyped) io.draw('\n')
    reader.close()
  }
}
