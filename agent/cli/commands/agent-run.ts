import type { Command } from 'commander'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'

/** `temblor agent` and `temblor agent run`: the agent of this host, in the foreground. */
export function registerAgentRun(program: Command, io: CliIo): Command {
  const agent = program.command('agent').description('The agent of this host.')
  agent
    .command('run')
    .description('Run the agent until it is stopped; it logs JSON to stderr.')
    .action(async () => {
      // Loaded here: the other commands need neither gRPC nor the log.
      const { runAgent } = await import('../../agent.ts')
      const code = await runAgent(io.env)
      if (code === exitCodes.agentRefused)
        throw new CliError('The controller refused this agent; its log says why.', code)
      if (code !== exitCodes.ok) throw new CliError('The agent ended; its log says why.')
    })
  return agent
}
