import { PlainError } from '../../plain-error.ts'
import { CliError } from '../exit-codes.ts'

/** Does something on this host; errors that people can act on end the command without a stack. */
export async function plainly<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof PlainError) throw new CliError(error.message)
    const { code, path } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM')
      throw new CliError(
        `No permission for ${path ?? 'the state folder'}. Run this as root, or set TEMBLOR_AGENT_DIR.`,
      )
    throw error
  }
}
