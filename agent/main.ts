import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { lightFlags } from './host/light-flags.ts'

// Whoever gives them on the command line saves 2 MB more: some code is optimized before this.
for (const flag of lightFlags) setFlagsFromString(flag)

// Compiled once, the agent starts again in half the time, and after a crash every moment counts: it
// comes back to take back what its journal holds. The cache lies where the code lies, so whoever may
// write the one may write the other; without a place to write to there is none.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/temblor', import.meta.url)))

const { runAgent } = await import('./agent.ts')
process.exitCode = await runAgent(process.env)
