import type { Static } from 'typebox'
import type { Command } from 'commander'
import { type AttackMetadata, readMetadata } from '../../../shared/api/metadata.ts'
import { describeAttackTypes } from '../../../shared/attacks/describe.ts'
import { nearest } from '../../../shared/nearest.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'

type Metadata = Static<typeof AttackMetadata>

/** `temblor attack types [type]`. */
export function registerAttackTypes(attack: Command, io: CliIo): void {
  attack
    .command('types [type]')
    .description('The attack types, or the flags of one: of the controller, else of this program.')
    .action(async (name: string | undefined) => {
      const all = await readTypes(io)
      if (name === undefined) return printResult(io, all, () => typeTable(all))
      const found = all.find((one) => one.command === name.toLowerCase())
      if (found) return printResult(io, found, () => typeLines(found))
      const names = all.map((one) => one.command)
      const near = nearest(name, names)
      throw new CliError(
        `There is no attack type "${name}".${near ? ` Did you mean ${near}?` : ''} Known: ${names.join(', ')}.`,
        exitCodes.usage,
      )
    })
}

async function readTypes(io: CliIo): Promise<Metadata[]> {
  let access: ReturnType<typeof signedInClient>
  try {
    access = signedInClient(io.env)
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notSignedIn) throw error
    io.say('Not signed in: these are the types that this program knows.')
    return describeAttackTypes()
  }
  return await access.api.call(readMetadata)
}

function typeTable(types: readonly Metadata[]): string[] {
  const rows = types.map((one) => [one.command, one.type, one.targets.join(', '), one.info])
  return formatTable([['TYPE', 'CATEGORY', 'AIMED AT', 'WHAT IT DOES'], ...rows])
}

function typeLines(type: Metadata): string[] {
  const rows = type.args.map((arg) => [
    arg.short ? `-${arg.short}, --${arg.long}` : `--${arg.long}`,
    Array.isArray(arg.default) ? arg.default.join(',') || 'all' : String(arg.default),
    arg.unit ?? '-',
    arg.name,
    arg.info,
  ])
  return [
    `${type.command} (${type.name}, ${type.type}): ${type.info}`,
    `  aimed at ${type.targets.join(', ')}; needs the privilege ${type.privilege}`,
    ...type.needs.map((need) => `  ${need}`),
    '',
    ...formatTable([['FLAG', 'DEFAULT', 'UNIT', 'NAME', 'WHAT IT SAYS'], ...rows]),
    ...type.conflicts.map((pair) => {
      const flags = type.args.filter((arg) => pair.includes(arg.key)).map((arg) => `--${arg.long}`)
      return `${flags.join(' and ')} contradict each other.`
    }),
  ]
}
