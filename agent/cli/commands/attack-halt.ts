import type { Command } from 'commander'
import { haltAttack } from '../../../shared/api/halts.ts'
import { signedInClient } from '../credentials.ts'
import { isOver } from '../output/attack-view.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor attack halt <id>`. */
export function registerAttackHalt(attack: Command, io: CliIo): void {
  attack
    .command('halt <id>')
    .description('Halt an attack: every target is reverted.')
    .action(async (id: string) => {
      const answer = await signedInClient(io.env).api.call(haltAttack, { params: { guid: id } })
      const halted = answer.find((one) => one.guid === id)
      printResult(io, answer, () => {
        if (!halted) return `Attack ${id} is being halted.`
        return isOver(halted)
          ? `Attack ${id} is over: ${halted.stage}.`
          : `Attack ${id} is being halted (${halted.stage}). See: temblor attack watch ${id}`
      })
    })
}
