import { fileURLToPath } from 'node:url'

/**
 * The agent's own programs that run as processes of their own, and where their source lies. The
 * build takes them from here.
 */
export const programs = {
  'cpu-burner': '../faults/cpu-burner.ts',
  'network-observer': '../network/observer/observer.ts',
  'delay-queue': '../network/queue/delay-queue.ts',
  'certificate-request': '../make-certificate-request.ts',
} as const

export type ProgramName = keyof typeof programs

/** The file of one of the agent's own programs: its source, or what the build put beside the agent. */
export function programPath(name: ProgramName): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isSource ? programs[name] : `./${name}.js`, import.meta.url))
}
