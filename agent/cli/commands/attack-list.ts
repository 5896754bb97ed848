import type { Command } from 'commander'
import { listAttacks } from '../../../shared/api/attacks.ts'
import { signedInClient } from '../credentials.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'

const heading = ['ID', 'ATTACK', 'STAGE', 'TARGETS', 'STARTED', 'BY']

/** `temblor attack list`. */
export function registerAttackList(attack: Command, io: CliIo): void {
  attack
    .command('list')
    .description('The attacks of the team, the newest first.')
    .option('--limit <n>', 'how many to show', '20')
    .action(async ({ limit }: { limit: string }) => {
      const { api } = signedInClient(io.env)
      const attacks = (await api.call(listAttacks)).slice(0, Math.max(1, Number(limit) || 20))
      printResult(io, attacks, () => {
        if (attacks.length === 0) return 'No attack has been run yet.'
        const rows = attacks.map((one) => [
          one.guid,
          [one.command_type, ...one.args].join(' '),
          one.stage,
          one.targets.join(',').slice(0, 40),
          one.created_at,
          one.create_user,
        ])
        return formatTable([heading, ...rows])
      })
    })
}
