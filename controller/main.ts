import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Compiled once, it starts in half the time and takes 10 MB less: what is used at the start alone needs no source
// text to be read again. The cache lies where the code lies, so whoever may write the one may write the other.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/temblor', import.meta.url)))

const { runController } = await import('./process.ts')
await runController()
