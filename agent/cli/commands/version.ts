import type { Command } from 'commander'
import { version } from '../../../shared/version.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor version`. */
export function registerVersion(program: Command, io: CliIo): void {
  program
    .command('version')
    .description('Print the version of Temblor and of its runtime.')
    .action(() => {
      const facts = { version, node: process.versions.node, platform: process.platform }
      printResult(io, facts, () => `temblor ${version} (Node ${process.versions.node})`)
    })
}
