import type { Command } from 'commander'
import {
  activateClient,
  type Client,
  listClients,
  readClient,
  revokeClient,
} from '../../../shared/api/clients.ts'
import { signedInClient } from '../credentials.ts'
import { clientLines, clientTable } from '../output/client-view.ts'
import { canAsk, confirm } from '../output/confirm.ts'
import { count } from '../output/count.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor client …`: the hosts of the team. */
export function registerClient(program: Command, io: CliIo): void {
  const client = program.command('client').description('The hosts of the team and their agents.')
  client
    .command('list')
    .description('The hosts: state, version, containers, what they cannot do.')
    .option('--active', 'only the active ones')
    .action(async (options: { active?: boolean }) => {
      const all = await signedInClient(io.env).api.call(listClients)
      const shown = options.active ? all.active : [...all.active, ...all.idle, ...all.inactive]
      printResult(io, shown, () =>
        shown.length === 0
          ? 'There is no host. Add one: temblor init, then temblor agent run.'
          : clientTable(shown),
      )
    })
  client
    .command('show <host>')
    .description('One host: what it is, what it can do, what its owner allows, its containers.')
    .action(async (host: string) => {
      const found = await read(io, host)
      printResult(io, found, () => clientLines(found))
    })
  registerRevoke(client, io)
  client
    .command('activate <host>')
    .description('Let a revoked host come back.')
    .action(async (host: string) => {
      const { api } = signedInClient(io.env)
      await api.call(activateClient, { params: { identifier: host } })
      printResult(io, { identifier: host, activated: true }, () => `Host ${host} may come back.`)
    })
}

function registerRevoke(client: Command, io: CliIo): void {
  client
    .command('revoke <host>')
    .description('Cut off the agent of a host at once; what it runs ends.')
    .option('--yes', 'do not ask, on a terminal either')
    .action(async (host: string, options: { yes?: boolean }) => {
      const { api } = signedInClient(io.env)
      if (canAsk(io) && !options.yes) {
        const running = (await read(io, host)).running_executions.length
        const ends = running > 0 ? `, and ${count(running, 'running attack')} there end` : ''
        await confirm(io, false, `Revoke ${host}? Its agent is cut off${ends}.`)
      }
      await api.call(revokeClient, { params: { identifier: host } })
      printResult(
        io,
        { identifier: host, revoked: true },
        () => `Host ${host} is revoked. To let it come back: temblor client activate ${host}`,
      )
    })
}

function read(io: CliIo, identifier: string): Promise<Client> {
  return signedInClient(io.env).api.call(readClient, { params: { identifier } })
}
