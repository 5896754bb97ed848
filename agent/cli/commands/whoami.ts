import type { Command } from 'commander'
import { readSelf } from '../../../shared/api/sessions.ts'
import { signedInClient } from '../credentials.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor whoami`. */
export function registerWhoami(program: Command, io: CliIo): void {
  program
    .command('whoami')
    .description('Who is signed in, where, in which team, and what that allows.')
    .action(async () => {
      const { api, baseUrl } = signedInClient(io.env)
      const self = await api.call(readSelf)
      const roles = self.team_memberships.find((one) => one.identifier === self.org_id)?.roles ?? []
      printResult(io, { base_url: baseUrl, ...self }, () => [
        `${self.identifier} at ${baseUrl}`,
        `  company     ${withRoles(self.company_name, self.company_roles)}`,
        `  team        ${withRoles(self.org_name, roles)}`,
        `  privileges  ${self.privileges.join(', ') || 'none'}`,
      ])
    })
}

function withRoles(name: string, roles: readonly string[]): string {
  return roles.length > 0 ? `${name} (${roles.join(', ')})` : name
}
