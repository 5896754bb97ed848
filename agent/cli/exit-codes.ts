/** Exit codes of the CLI. They are part of its interface: CI jobs branch on them. */
export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  attackFailed: 3,
  notSignedIn: 4,
  haltedBySomeone: 5,
  partiallyApplied: 6,
  /** The controller refused this agent (revoked, or its name is taken). */
  agentRefused: 7,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends the command with this exit code and this text on stderr. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  constructor(message: string, exitCode: ExitCode = exitCodes.error) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}
