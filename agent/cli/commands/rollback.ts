import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { openLocalHost } from '../../control/client.ts'
import { CliError } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { plainly } from './plain-errors.ts'

/** `temblor rollback`: ends every attack on this host and takes back whatever the journal holds. */
export function registerRollback(program: Command, io: CliIo): void {
  program
    .command('rollback')
    .description('End all attacks on this host and take back what is left of earlier ones.')
    .action(() => plainly(() => rollback(io)))
}

async function rollback(io: CliIo): Promise<void> {
  const host = await openLocalHost(readConfig(io.env))
  try {
    const result = await host.rollback()
    printResult(io, result, () =>
      result.ended.length === 0
        ? 'There was nothing to roll back.'
        : `Rolled back: ${result.ended.join(', ')}.`,
    )
    if (result.leftBehind.length > 0) throw new CliError(result.leftBehind.join('\n'))
  } finally {
    await host.close()
  }
}
