import { Command, Option } from 'commander'
import {
  allowedValues,
  defaultText,
  flagName,
  paramSpecs,
  parseArgs,
  valueName,
  type ParamSpec,
} from '../../../shared/attacks/args.ts'
import type { AttackType } from '../../../shared/attacks/define.ts'
import { grammars } from '../../../shared/attacks/items.ts'

/** Adds the flags of an attack type, with unit, limits and default, to a command. */
export function addTypeOptions(command: Command, type: AttackType): void {
  for (const spec of paramSpecs(type)) {
    command.addOption(
      optionOf(type, spec, flagName(spec.flag).replace('/', ', ')).helpGroup(headingOf(type)),
    )
    for (const other of otherSpellings(spec))
      command.addOption(optionOf(type, spec, other).hideHelp())
  }
}

/**
 * The flags of the type that were given, as arguments for the API.
 * @throws ArgsError when one cannot be meant
 */
export function readTypeArgs(command: Command, type: AttackType): string[] {
  const given = command.opts<Record<string, boolean | string[] | undefined>>()
  const args = paramSpecs(type).flatMap((spec) =>
    [`--${spec.flag.long}`, ...otherSpellings(spec)].flatMap((long) => {
      const option = command.options.find((one) => one.long === long)
      const value = option && given[option.attributeName()]
      if (value === undefined) return []
      // A flag whose name begins with "no-" is off by default and false when it is given.
      if (typeof value === 'boolean') return value === option?.negate ? [] : [`--${spec.flag.long}`]
      return value.flatMap((text) => [`--${spec.flag.long}`, text])
    }),
  )
  parseArgs(type, args)
  return args
}

/** The flags of a type as help shows them, where commander does not read them. */
export function typeFlagHelp(type: AttackType, columns: number): string {
  const shown = new Command().helpOption(false).helpCommand(false)
  addTypeOptions(shown, type)
  const help = shown.createHelp()
  help.prepareContext({ helpWidth: columns })
  const width = help.padWidth(shown, help)
  const lines = help
    .visibleOptions(shown)
    .map((one) => help.formatItem(help.optionTerm(one), width, help.optionDescription(one), help))
  return ['', headingOf(type), ...lines, ...listHelp(type)].join('\n')
}

/** How lists are written, for types that take some; it would be too long beside each flag. */
export function listHelp(type: AttackType): string[] {
  if (!paramSpecs(type).some(({ schema }) => schema.type === 'list')) return []
  return [
    '',
    'Where several can be given, separate them by commas or repeat the flag. ^ in front of',
    'one spares it, and what is spared wins: -p 80,8080-8085 -p ^8081. What you give takes',
    'the place of the default.',
  ]
}

function headingOf(type: AttackType): string {
  return `Flags of ${type.type}:`
}

/** `--egress_port` for `--egress-port`. */
function otherSpellings({ flag }: ParamSpec): string[] {
  return flag.long.includes('-') ? [`--${flag.long.replaceAll('-', '_')}`] : []
}

function optionOf(type: AttackType, spec: ParamSpec, name: string): Option {
  const value = valueName(spec)
  const { schema } = spec
  if (value === undefined) return new Option(name, `${schema.title}. ${schema.description}`)
  const words = schema.type === 'list' ? grammars[schema.item].words : allowedValues(spec)
  const allowed = `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  const description = `${schema.title}. ${schema.description} ${allowed}. Default: ${defaultText(spec)}.`
  const option = new Option(`${name} <${value}>`, description)
  return option.argParser((text: string, before?: string[]) => {
    // Commander leaves the = of `-l=60`.
    const given = text.replace(/^=/, '')
    // Kept as typed: the one codec checks it, so that CLI and API say the same.
    parseArgs(type, [`--${spec.flag.long}`, given])
    return [...(before ?? []), given]
  })
}
