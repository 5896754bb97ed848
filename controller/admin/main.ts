import { Command, CommanderError } from 'commander'
import { ApiError } from '../../shared/api/errors.ts'
import {
  addCompany,
  addTeam,
  addUser,
  connected,
  disableMfa,
  resetPassword,
  teamJoinLine,
} from './commands.ts'
import { adminActor } from './audit.ts'
import { registerAudit } from './audit-register.ts'
import { registerBreakGlass } from './break-glass-commands.ts'
import { json, run } from './output.ts'
import { rotateSealingKey, sealingKeys } from './sealing-key.ts'

/** `temblor admin`: companies, teams and users, on the controller's host. Exit codes as the CLI's. */
async function main(args: string[]): Promise<number> {
  const program = new Command('temblor admin')
    .description("Companies, teams and users, on the controller's host.")
    .helpOption('--help', 'show help')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  temblor admin team add Payments --company Temblor\n' +
        '  TEMBLOR_PASSWORD=… temblor admin user add ann@example.org --company Temblor --team Payments',
    )
  const company = program.command('company').description('Companies.')
  company
    .command('add <name>')
    .description('Make a company.')
    .option(...json)
    .action((name: string, options: { json?: boolean }) => run(options, () => addCompany(name)))
  const team = program.command('team').description('Teams.')
  team
    .command('add <name>')
    .description('Make a team in a company.')
    .requiredOption('--company <name>', 'its company')
    .option(...json)
    .action((name: string, options: { company: string; json?: boolean }) =>
      run(options, () => addTeam(name, options.company)),
    )
  team
    .command('join-line <name>')
    .description('Print the line that adds a host to a team. It holds a secret.')
    .requiredOption('--company <name>', 'its company')
    .option('--address <host:port>', "the controller's agent port as hosts reach it")
    .option(...json)
    .action((name: string, options: { company: string; address?: string; json?: boolean }) =>
      run(options, () => teamJoinLine(name, options.company, options.address)),
    )
  registerBreakGlass(registerUsers(program), company)
  registerSealingKey(program)
  let exitCode = 0
  registerAudit(program, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return report(error)
  }
}

function registerUsers(program: Command): Command {
  const user = program.command('user').description('Users.')
  user
    .command('reset-password <email>')
    .description('Make a link with which a user sets a new password; hand it over.')
    .option(...json)
    .action((email: string, options: { json?: boolean }) =>
      run(options, () => resetPassword(email)),
    )
  user
    .command('disable-mfa <email>')
    .description('Switch off the second factor of a user who lost it; their sessions end.')
    .option(...json)
    .action((email: string, options: { json?: boolean }) => run(options, () => disableMfa(email)))
  user
    .command('add <email>')
    .description('Make a user, or give one who exists a place in a company.')
    .requiredOption('--company <name>', 'the company')
    .option('--team <name...>', 'teams of the company')
    .option('--company-role <role...>', 'company roles', ['COMPANY_USER'])
    .option('--team-role <role...>', 'roles in each of these teams', ['TEAM_USER'])
    .option(...json)
    .addHelpText('after', '\nThe password comes from TEMBLOR_PASSWORD; without it one is made.')
    .action((email: string, options: Parameters<typeof addUser>[1] & { json?: boolean }) =>
      run(options, () => addUser(email, options)),
    )
  return user
}

function registerSealingKey(program: Command): void {
  const key = program.command('sealing-key').description('The key that seals secrets in Redis.')
  key
    .command('status')
    .description('The sealing keys of the key file and what becomes of them.')
    .option(...json)
    .action((options: { json?: boolean }) =>
      run(options, () => connected(async ({ keyFile }) => shownKeys(keyFile.path))),
    )
  key
    .command('rotate')
    .description('Seal everything with a new key and remove the old one; controllers may run.')
    .option('--step', 'one step alone: copy the key file to all controllers after each')
    .option(...json)
    .addHelpText(
      'after',
      '\nIt may be cut off at any point: the next rotation finishes what it left.',
    )
    .action((options: { step?: boolean; json?: boolean }) =>
      run(options, () =>
        connected(async ({ store, audit, keyFile }) => {
          const deps = { store, keyFilePath: keyFile.path, say }
          await rotateSealingKey(deps, options.step === true)
          await audit.record({ action: 'sealing-key.rotate', actor: adminActor() })
          return shownKeys(keyFile.path)
        }),
      ),
    )
}

function shownKeys(path: string): Record<string, unknown> {
  return Object.fromEntries(sealingKeys(path).map(({ id, state }) => [id, state]))
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return error instanceof ApiError ? 2 : 1
}

process.exitCode = await main(process.argv.slice(2))
