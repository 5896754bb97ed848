import type { Client } from '../../../shared/api/clients.ts'
import { formatJoinLine, parseJoinLine } from '../../../shared/join-line.ts'
import type { Api } from '../api.ts'
import { startService, type Service } from '../service.ts'
import { apiPollMs, until } from '../until.ts'
import { testMachine, type Guest } from './guest.ts'

/** A service whose agent on this machine allows nothing: only guests can be hit. */
export function startGuestService(): Promise<Service> {
  return startService({ TEMBLOR_ALLOW_ATTACKS: 'none', TEMBLOR_FORBID_SHUTDOWN: 'yes' })
}

/** The line that adds a guest to the service's team. */
export function joinLineForGuests({ local }: Service): string {
  const line = parseJoinLine(local.join)
  const { port } = new URL(`tcp://${line.address}`)
  return formatJoinLine({ ...line, address: `${testMachine}:${port}` })
}

/** Installs the agent in a guest, as its owner does, and waits until the controller would aim at it. */
export async function installAgent(guest: Guest, service: Service): Promise<Client> {
  const join = `TEMBLOR_JOIN=${joinLineForGuests(service)}`
  await guest.ok(['env', join, 'temblor', 'agent', 'install'], { timeoutMs: 120_000 })
  return await untilInTeam(service.owner, guest)
}

/** Waits until the agent of a guest is heard, from another boot than the one that is given. */
export async function untilInTeam(api: Api, guest: Guest, fromBootId = ''): Promise<Client> {
  return await until(
    `${guest.name} is targetable`,
    async () => {
      const client = (await api.activeClients()).find((one) => one.identifier === guest.name)
      return client?.targetable && client.boot_id !== fromBootId && client
    },
    120_000,
    apiPollMs,
  )
}
