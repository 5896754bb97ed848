import type { Command } from 'commander'
import { paramSpecs } from '../../shared/attacks/args.ts'
import { attackTypeNames, findAttackType } from '../../shared/attacks/index.ts'

/** What can follow after some commands. */
export interface CompletionStep {
  /** The commands before, as in `attack run cpu`; empty at the start. */
  readonly path: string
  readonly words: readonly { readonly word: string; readonly help: string }[]
}

/** Every command with what can follow it: its commands and options, from the tree itself. */
export function completionSteps(command: Command, path: readonly string[] = []): CompletionStep[] {
  const commands = command.commands.map((one) => ({ word: one.name(), help: one.description() }))
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, help: description })),
  )
  const options = command.createHelp().visibleOptions(command)
  const flags = options.flatMap((option) =>
    option.long ? [{ word: option.long, help: option.description }] : [],
  )
  const local = isLocalAttack(path) ? typeFlags(path.at(-1) ?? '') : []
  return [
    { path: path.join(' '), words: [...commands, ...choices, ...local, ...flags] },
    ...command.commands.flatMap((child) => completionSteps(child, [...path, child.name()])),
    ...(path.join(' ') === 'attack-container' ? containerSteps(path) : []),
  ]
}

/** The flags of local attacks are read by the codec: commander does not know them. */
function isLocalAttack(path: readonly string[]): boolean {
  return path.length === 2 && path[0] === 'attack' && findAttackType(path[1] ?? '') !== undefined
}

function typeFlags(name: string): { word: string; help: string }[] {
  const type = findAttackType(name)
  if (!type) return []
  return paramSpecs(type).map(({ flag, schema }) => ({
    word: `--${flag.long}`,
    help: schema.description,
  }))
}

/** After `attack-container <container>`, for which no words are known, come a type and its flags. */
function containerSteps(path: readonly string[]): CompletionStep[] {
  return attackTypeNames.map((name) => ({
    path: [...path, name].join(' '),
    words: [...typeFlags(name), { word: '--json', help: 'print the result as JSON' }],
  }))
}
