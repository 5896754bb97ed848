import type { Logger } from 'pino'
import type { ChainHead } from '../store/audit.ts'

/** Writes the head of a chain to the log: what is cut off a chain, or written anew, shows by it. */
export type HeadLog = (companyId: string | undefined, head: ChainHead) => void

/** What the log calls the chain of the installation. */
export const installationChain = 'installation'

/** Makes the log of heads. They are needed whatever else is left out; only `silent` means nothing at all. */
export function createHeadLog(logger: Logger): HeadLog {
  const heads = logger.level === 'silent' ? logger : logger.child({}, { level: 'info' })
  return (companyId, { sequence, hash }) =>
    heads.info(
      { audit_head: { chain: companyId ?? installationChain, sequence, hash } },
      'audit head',
    )
}
