import { runAgent } from './agent.ts'

process.exitCode = await runAgent(process.env)
