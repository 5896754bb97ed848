import { Command, CommanderError } from 'commander'
import { ApiError } from '../../shared/api/errors.ts'
import { ArgsError } from '../../shared/attacks/args.ts'
import { version } from '../../shared/version.ts'
import { registerAgentInstall } from './commands/agent-install.ts'
import { registerAgentRun } from './commands/agent-run.ts'
import { registerAttack } from './commands/attack.ts'
import { registerLocalAttacks } from './commands/attack-local.ts'
import { registerAudit } from './commands/audit.ts'
import { registerCheck } from './commands/check.ts'
import { registerClient } from './commands/client.ts'
import { registerCompany } from './commands/company.ts'
import { registerCompanyPreferences } from './commands/company-preferences.ts'
import { registerCompletion } from './commands/completion.ts'
import { registerContainer } from './commands/container.ts'
import { registerInit } from './commands/init.ts'
import { registerKey } from './commands/key.ts'
import { registerLogin } from './commands/login.ts'
import { registerLogout } from './commands/logout.ts'
import { registerPassword } from './commands/password.ts'
import { registerRollback } from './commands/rollback.ts'
import { registerSession } from './commands/session.ts'
import { registerStatus } from './commands/status.ts'
import { registerTeam } from './commands/team.ts'
import { registerUser } from './commands/user.ts'
import { registerVersion } from './commands/version.ts'
import { registerWhoami } from './commands/whoami.ts'
import { CliError, exitCodes, type ExitCode } from './exit-codes.ts'
import { type CliIo, processIo } from './output/io.ts'

const examples = `Examples:
  temblor login --url http://127.0.0.1:8080 --email owner@temblor.local
  temblor attack run cpu --length 30 --percent 50 --tag zone=eu-1 --label app=web
`

const exitCodeHelp = `
Exit codes:
  0 done, 1 error, 2 wrong use, 3 the attack failed or would not start, 4 not signed in,
  5 halted by someone, 6 only some targets were hit or could be, 7 the controller refuses this agent,
  130 interrupted or declined`

/** Runs the command that the arguments name. Resolves to its exit code; never rejects. */
export async function main(args: readonly string[], io: CliIo = processIo()): Promise<ExitCode> {
  try {
    await buildProgram(io).parseAsync([...args], { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    return reportError(error, io)
  }
}

/** All commands. `-h` is left free: it means hostnames in the flags of network attacks. */
function buildProgram(io: CliIo): Command {
  const program = new Command('temblor')
    .description('Fault injection: local attacks on this host, and everything on a controller.')
    .version(version, '--version', 'print the version')
    .addHelpText('before', examples)
    .addHelpText('after', exitCodeHelp)
  for (const register of [registerLogin, registerLogout, registerWhoami]) register(program, io)
  registerLocalAttacks(registerAttack(program, io), program, io)
  registerAudit(program, io)
  registerClient(program, io)
  registerContainer(program, io)
  registerKey(program, io)
  registerCompanyPreferences(registerCompany(program, io), io)
  registerTeam(program, io)
  registerUser(program, io)
  registerPassword(program, io)
  registerSession(program, io)
  const onThisHost = [registerInit, registerStatus, registerCheck, registerRollback]
  for (const register of onThisHost) register(program, io)
  registerAgentInstall(registerAgentRun(program, io), io)
  registerVersion(program, io)
  registerCompletion(program, io)
  program
    .command('admin')
    .description("Companies, teams and users, on the controller's host (admin --help).")
  prepare(program, io)
  return program
}

/** What every command has in common. */
function prepare(command: Command, io: CliIo): void {
  command
    .helpOption('--help', 'show help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.print(text.replace(/\n$/, '')),
      writeErr: (text) => io.say(text.trimEnd()),
    })
  for (const child of command.commands) prepare(child, io)
  if (command.commands.length > 0 || command.name() === 'admin') return
  command.option('--json', 'print the result as JSON')
  command.hook('preAction', () => {
    io.json = command.opts()['json'] === true
  })
}

/** The one place where an error becomes text on stderr and an exit code. */
function reportError(error: unknown, io: CliIo): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has printed its text; asking for help is not a mistake.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
  if (error instanceof CliError) {
    io.say(error.message)
    return error.exitCode
  }
  if (error instanceof ArgsError) {
    io.say(error.message)
    return exitCodes.usage
  }
  if (error instanceof ApiError) {
    io.say(error.message)
    return codeOfApiError(error)
  }
  if (error instanceof TypeError && error.cause instanceof Error) {
    io.say(`The controller cannot be reached: ${error.cause.message}`)
    return exitCodes.error
  }
  io.say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return exitCodes.error
}

/** Refusals of what was asked, whatever else is true. */
const usageErrors: ReadonlySet<string> = new Set([
  'invalid_argument',
  'invalid_body',
  'invalid_target',
  'name_taken',
  'not_supported',
  'unknown_attack_type',
])

function codeOfApiError({ code }: ApiError): ExitCode {
  if (code === 'unauthenticated' || code === 'invalid_credentials') return exitCodes.notSignedIn
  return usageErrors.has(code) ? exitCodes.usage : exitCodes.error
}
