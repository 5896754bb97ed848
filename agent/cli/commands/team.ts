import type { Command } from 'commander'
import {
  createOrg,
  deleteTeam,
  listTeams,
  readTeam,
  readTeamInstall,
  resetTeamSecret,
  updateTeam,
} from '../../../shared/api/teams.ts'
import { signedInClient } from '../credentials.ts'
import { confirm } from '../output/confirm.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'

/** `temblor team …`: the teams of the company. */
export function registerTeam(program: Command, io: CliIo): void {
  const team = program.command('team').description('The teams of the company, by name or id.')
  team
    .command('list')
    .description('All teams.')
    .action(async () => {
      const teams = await signedInClient(io.env).api.call(listTeams)
      const rows = teams.map((one) => [one.name, one.identifier, one.createdAt])
      printResult(io, teams, () => formatTable([['TEAM', 'ID', 'CREATED'], ...rows]))
    })
  team
    .command('show <team>')
    .description('One team.')
    .action(async (name: string) => {
      const found = await signedInClient(io.env).api.call(readTeam, { params: { team: name } })
      printResult(io, found, () => [
        `${found.name} (${found.identifier})`,
        `  created  ${found.createdAt}`,
        `  secret   set ${found.secretSetAt}${found.secretSetBy ? ` by ${found.secretSetBy}` : ''}`,
      ])
    })
  team
    .command('create <name>')
    .description('Make a team.')
    .option('--join', 'become a user of it')
    .action(async (name: string, options: { join?: boolean }) => {
      const query = { addUser: String(options.join ?? false) }
      const made = await signedInClient(io.env).api.call(createOrg, { body: { name }, query })
      printResult(io, made, () => `Team ${made.name} has the id ${made.identifier}.`)
    })
  registerChanges(team, io)
}

function registerChanges(team: Command, io: CliIo): void {
  team
    .command('rename <team> <name>')
    .description('Give a team another name.')
    .action(async (old: string, name: string) => {
      const { api } = signedInClient(io.env)
      const renamed = await api.call(updateTeam, { params: { team: old }, body: { name } })
      printResult(io, renamed, () => `The team is called ${renamed.name} now.`)
    })
  team
    .command('delete <team>')
    .description('Delete a team: its attacks are halted, its hosts cut off.')
    .option('--yes', 'do not ask, on a terminal either')
    .action(async (name: string, options: { yes?: boolean }) => {
      await confirm(io, options.yes ?? false, `Delete ${name}? Its hosts are cut off for good.`)
      const gone = await signedInClient(io.env).api.call(deleteTeam, { params: { team: name } })
      printResult(io, gone, () => `Team ${gone.name} is deleted.`)
    })
  team
    .command('reset-secret <team>')
    .description('Give a team a new secret; with the old one no host joins any more.')
    .action(async (name: string) => {
      const { api } = signedInClient(io.env)
      const made = await api.call(resetTeamSecret, { params: { team: name } })
      printResult(io, made, () => made.secret)
    })
  team
    .command('join-line <team>')
    .description('Print the line that adds a host to a team. It holds a secret.')
    .action(async (name: string) => {
      const { api } = signedInClient(io.env)
      const settings = await api.call(readTeamInstall, { params: { team: name } })
      printResult(io, { join: settings.TEMBLOR_JOIN }, () => settings.TEMBLOR_JOIN)
    })
}
