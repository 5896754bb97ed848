import type { Command } from 'commander'
import type { CliIo } from '../output/io.ts'
import { registerAttackAnnotate } from './attack-annotate.ts'
import { registerAttackHalt } from './attack-halt.ts'
import { registerAttackList } from './attack-list.ts'
import { registerAttackRun } from './attack-run.ts'
import { registerAttackShow } from './attack-show.ts'
import { registerAttackTypes } from './attack-types.ts'
import { registerAttackWatch } from './attack-watch.ts'

/** `temblor attack …`: what is done through a controller. Gives the command, for local attacks. */
export function registerAttack(program: Command, io: CliIo): Command {
  const attack = program.command('attack').description('Run attacks and see what they did.')
  registerAttackRun(attack, io)
  registerAttackList(attack, io)
  registerAttackShow(attack, io)
  registerAttackWatch(attack, io)
  registerAttackHalt(attack, io)
  registerAttackAnnotate(attack, io)
  registerAttackTypes(attack, io)
  return attack
}
