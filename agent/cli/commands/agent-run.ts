import type { Command } from 'commander'
import { CliError } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'

/** `temblor agent run`: the agent of this host, in the foreground. */
export function registerAgentRun(program: Command, io: CliIo): void {
  program
    .command('agent')
    .description('The agent of this host.')
    .command('run')
    .description('Run the agent until it is stopped; it logs JSON to stderr.')
    .action(async () => {
      // Loaded here: the other commands need neither gRPC nor the log.
      const { runAgent } = await import('../../agent.ts')
      if ((await runAgent(io.env)) !== 0) throw new CliError('The agent ended; its log says why.')
    })
}
