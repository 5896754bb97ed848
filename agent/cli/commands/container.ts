import type { Command } from 'commander'
import {
  listContainerLabels,
  listContainers,
  matchContainers,
  readContainer,
} from '../../../shared/api/containers.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { containerTable } from '../output/client-view.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'
import { findContainerIds } from './container-ids.ts'
import { readPairs } from './pairs.ts'

/** `temblor container …`: the running containers on the team's hosts. */
export function registerContainer(program: Command, io: CliIo): void {
  const container = program
    .command('container')
    .description("The running containers on the team's hosts.")
  container
    .command('list')
    .description('The containers, with host, image and labels.')
    .option('--host <host>', 'only those on this host')
    .action((options: { host?: string }) => list(io, options.host))
  container
    .command('show <container>')
    .description('One container, by id, start of the id, or name.')
    .action((name: string) => show(io, name))
  container
    .command('labels')
    .description('The keys of all labels, for --label.')
    .action(async () => {
      const answer = await signedInClient(io.env).api.call(listContainerLabels)
      printResult(io, answer, () =>
        answer.labelKeys.length > 0 ? answer.labelKeys : 'No container carries a label.',
      )
    })
  registerMatch(container, io)
}

async function list(io: CliIo, host: string | undefined): Promise<void> {
  const all = await signedInClient(io.env).api.call(listContainers)
  const shown = all.filter((one) => host === undefined || one.client_id === host)
  printResult(io, shown, () => {
    if (shown.length === 0) return 'There is no running container.'
    return containerTable(
      shown.map((one) => ({
        ...one,
        id: one.identifier,
        host: one.client_id,
        labels: one.container_labels,
      })),
    )
  })
}

async function show(io: CliIo, name: string): Promise<void> {
  const { api } = signedInClient(io.env)
  const [identifier = ''] = await findContainerIds(api, [name])
  const found = await api.call(readContainer, { params: { identifier } })
  printResult(io, found, () => [
    `${found.name} (${found.identifier})`,
    `  host       ${found.client_id}`,
    `  image      ${found.image}`,
    `  state      ${found.state}`,
    `  protected  ${found.protected ? 'yes: its owner forbids touching it' : 'no'}`,
    ...Object.entries(found.container_labels).map(([key, value]) => `  label      ${key}=${value}`),
  ])
}

interface MatchOptions {
  readonly all?: boolean
  readonly id?: readonly string[]
  readonly label?: readonly string[]
}

function registerMatch(container: Command, io: CliIo): void {
  container
    .command('match')
    .description('Which containers a selector means, before it is used in an attack.')
    .option('--all', 'all of them')
    .option('--id <container...>', 'by id, start of the id, or name')
    .option('--label <key=value...>', 'by labels (a key twice: either)')
    .addHelpText('after', '\nExample:\n  temblor container match --label app=web --label app=api')
    .action(async ({ all, id, label }: MatchOptions) => {
      if ([all, id, label].filter(Boolean).length !== 1)
        throw new CliError('Say one of --all, --id and --label.', exitCodes.usage)
      const multiSelectLabels = label ? readPairs('--label', label) : null
      const { api } = signedInClient(io.env)
      const ids = id ? await findContainerIds(api, id) : null
      const body = { isAll: all ?? false, ids, multiSelectLabels }
      const answer = await api.call(matchContainers, { body })
      printResult(io, answer, () => {
        const { matchedContainers: matched, totalContainerCount: total } = answer
        const rows = matched.map((one) => [one.id.slice(0, 12), one.name, one.clientId])
        const head = `${matched.length} of ${total} containers match.`
        return rows.length === 0
          ? head
          : [head, '', ...formatTable([['CONTAINER', 'NAME', 'HOST'], ...rows])]
      })
    })
}
