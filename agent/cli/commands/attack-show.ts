import type { Command } from 'commander'
import type { ApiClient } from '../../../shared/api/client.ts'
import { readAttack } from '../../../shared/api/attacks.ts'
import { listExecutions } from '../../../shared/api/executions.ts'
import { signedInClient } from '../credentials.ts'
import { attackLines, type AttackView } from '../output/attack-view.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor attack show <id>`. */
export function registerAttackShow(attack: Command, io: CliIo): void {
  attack
    .command('show <id>')
    .description('One attack and what it did to each target.')
    .action(async (id: string) => {
      const view = await readView(signedInClient(io.env).api, id)
      printResult(io, view, () => attackLines(view))
    })
}

/** An attack with its executions. */
export async function readView(api: ApiClient, id: string): Promise<AttackView> {
  // The executions last: they are then at least as new as the attack's own stage.
  const attack = await api.call(readAttack, { params: { guid: id } })
  return { attack, executions: await api.call(listExecutions, { query: { taskId: id } }) }
}
