import { createHash, X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { fetchPinnedCa } from '../../ca-pin.ts'
import { readConfig, type AgentConfig } from '../../config.ts'
import { DockerEngine } from '../../containers/docker.ts'
import { connectToAgent } from '../../control/client.ts'
import { createFaults } from '../../faults/index.ts'
import { createHostPower } from '../../faults/shutdown-power.ts'
import { certificateTimes, readCredentials } from '../../identity.ts'
import { capabilities, probeHost } from '../../inventory.ts'
import { CliError } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { formatTable } from '../output/table.ts'

interface Finding {
  readonly name: string
  /** `failed` is something that is needed; `warning` leaves something out. */
  readonly status: 'ok' | 'warning' | 'failed'
  readonly message: string
}

/** `temblor check`: what this host can do, and what is missing for the rest. */
export function registerCheck(program: Command, io: CliIo): void {
  program
    .command('check')
    .description('Check configuration, connection and what this host can do.')
    .action(() => check(io))
}

async function check(io: CliIo): Promise<void> {
  const findings = await findAll(io.env)
  const rows = findings.map(({ name, status, message }) => [name, status, message])
  printResult(io, { ok: !findings.some(isFailure), checks: findings }, () =>
    formatTable([['CHECK', 'RESULT', 'DETAIL'], ...rows]),
  )
  const failed = findings.filter(isFailure).map(({ name }) => name)
  if (failed.length > 0) throw new CliError(`Needed but missing: ${failed.join(', ')}.`)
}

async function findAll(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: AgentConfig
  try {
    config = readConfig(env)
  } catch (error) {
    return [{ name: 'configuration', status: 'failed', message: (error as Error).message }]
  }
  return [
    { name: 'configuration', status: 'ok', message: `this host is "${config.identifier}"` },
    checkStateDir(config.stateDir),
    await checkAgent(config),
    await checkController(config),
    ...(await checkFaults(config)),
  ]
}

function checkStateDir(stateDir: string): Finding {
  try {
    // It is made at the first use; looking must not make it.
    let folder = stateDir
    while (!existsSync(folder)) folder = dirname(folder)
    accessSync(folder, constants.W_OK)
    return { name: 'state folder', status: 'ok', message: `${stateDir} is writable` }
  } catch (error) {
    return { name: 'state folder', status: 'failed', message: (error as Error).message }
  }
}

async function checkAgent(config: AgentConfig): Promise<Finding> {
  try {
    const agent = await connectToAgent(config)
    if (!agent) return { name: 'agent', status: 'ok', message: 'not running' }
    const { pid, controller } = await agent.status()
    const connected = controller?.connected ? 'connected' : 'not connected'
    return { name: 'agent', status: 'ok', message: `running (process ${pid}), ${connected}` }
  } catch (error) {
    return { name: 'agent', status: 'failed', message: (error as Error).message }
  }
}

async function checkController({ stateDir, join }: AgentConfig): Promise<Finding> {
  const name = 'controller'
  try {
    const known = readCredentials(stateDir)
    const address = join?.address ?? known?.address
    if (!address)
      return { name, status: 'ok', message: 'none: this host has not joined a team (temblor init)' }
    const caSha256 = join?.caSha256 ?? fingerprint(known?.caPem ?? '')
    await fetchPinnedCa(address, caSha256)
    const ends = known && new Date(certificateTimes(known.certificatePem).endsMs).toISOString()
    const certificate = ends ? `certificate until ${ends}` : 'not enrolled yet'
    return { name, status: 'ok', message: `${address} answers; ${certificate}` }
  } catch (error) {
    return { name, status: 'failed', message: (error as Error).message }
  }
}

async function checkFaults({ dockerSocket, stateDir }: AgentConfig): Promise<Finding[]> {
  const engine = new DockerEngine(dockerSocket)
  await engine.open()
  try {
    const power = createHostPower(stateDir)
    const probes = await probeHost(createFaults({ power, containers: engine }))
    return capabilities({ probes, engine }).map(({ attackType, targeting, missingReason }) => {
      const name = `${attackType} on ${targeting === 'Host' ? 'this host' : 'containers'}`
      const isOk = missingReason === ''
      const status = isOk ? 'ok' : 'warning'
      const containers = `${engine.containers.length} containers there`
      const message = isOk && targeting === 'Container' ? containers : missingReason || 'possible'
      return { name, status, message }
    })
  } finally {
    engine.close()
  }
}

function fingerprint(caPem: string): string {
  return createHash('sha256').update(new X509Certificate(caPem).raw).digest('hex')
}

function isFailure({ status }: Finding): boolean {
  return status === 'failed'
}
