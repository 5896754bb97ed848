import { fileURLToPath } from 'node:url'

/** The agent's own programs that run as processes of their own, and where their source lies. */
const sources = {
  'cpu-burner': '../faults/cpu-burner.ts',
} as const

/** The file of one of the agent's own programs: its source, or what the build put beside the agent. */
export function programPath(name: keyof typeof sources): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isSource ? sources[name] : `./${name}.js`, import.meta.url))
}
