import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { lightFlags } from '../../host/light-flags.ts'
import { readConfig } from '../../config.ts'
import { readCredentials, readInstanceId } from '../../identity.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { plainly } from './plain-errors.ts'

const run = promisify(execFile)

const unit = 'temblor-agent.service'
const unitFolder = '/etc/systemd/system'
const unitFile = `${unitFolder}/${unit}`

/** `temblor agent install` and `temblor agent uninstall`: the agent as a service of systemd. */
export function registerAgentInstall(agent: Command, io: CliIo): void {
  agent
    .command('install')
    .description('Install the agent as a service that starts with this host (systemd, as root).')
    .action(() => plainly(() => install(io)))
  agent
    .command('uninstall')
    .description('Stop the service and remove it; the membership in the team stays.')
    .action(() => plainly(() => uninstall(io)))
}

/**
 * The service of the agent. It is started again whatever ends it, without limit: it must come back
 * to take back what its journal holds. It is not sandboxed: faults need the host as it is.
 * @param program this command's own file, which `node` runs
 */
export function unitText(node: string, program: string): string {
  const command = `${quoted(node)} ${quoted(program)}`
  return `[Unit]
Description=Temblor agent, which injects faults on this host
After=network.target docker.service
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${[quoted(node), ...lightFlags, quoted(program)].join(' ')} agent run
# Whatever the agent could not end itself.
ExecStopPost=-${command} rollback
Restart=always
RestartSec=1
# The controller has revoked this host or its name is taken: asking every second would not help.
RestartPreventExitStatus=${exitCodes.agentRefused}
# The agent ends its faults; what helpers are left after it are killed.
KillMode=mixed
TimeoutStopSec=60
OOMScoreAdjust=-900
LimitNOFILE=65536
CacheDirectory=temblor
CacheDirectoryMode=0700
Environment=NODE_COMPILE_CACHE=%C/temblor

[Install]
WantedBy=multi-user.target
`
}

/** A word of a command line in a unit: systemd knows quotes, and expands % and $ even in them. */
function quoted(word: string): string {
  const plain = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${plain.replaceAll('%', '%%').replaceAll('$', '$$$$')}"`
}

/** Settings that are set here and that the service would not see. */
export function unseenSettings(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).filter(
    (name) => name.startsWith('TEMBLOR_') && !['TEMBLOR_JOIN', 'TEMBLOR_REEXECUTED'].includes(name),
  )
}

async function install(io: CliIo): Promise<void> {
  needSystemdAndRoot('install')
  const unseen = unseenSettings(io.env)
  if (unseen.length > 0)
    throw new CliError(
      `The service would not see ${unseen.join(', ')}. Put settings into /etc/temblor/agent.json.`,
      exitCodes.usage,
    )
  const teamId = await join(io)
  const text = unitText(process.execPath, realpathSync(process.argv[1] ?? ''))
  const isSame = existsSync(unitFile) && readFileSync(unitFile, 'utf8') === text
  if (!isSame) {
    mkdirSync(unitFolder, { recursive: true })
    writeFileSync(unitFile, text, { mode: 0o644 })
    await systemctl('daemon-reload')
  }
  await systemctl('enable', unit)
  // A running agent is not disturbed without need: it may have attacks to look after.
  await systemctl(isSame ? 'start' : 'restart', unit)
  printResult(io, { unit: unitFile, teamId, changed: !isSame }, () => [
    `The agent of this host runs as ${unit} and starts with the host.`,
    'How it is: temblor status. Its log: journalctl -u temblor-agent.',
  ])
}

/** Joins with the line in TEMBLOR_JOIN, when there is one. @returns the id of this host's team */
async function join(io: CliIo): Promise<string> {
  const { join: line, stateDir } = readConfig(io.env)
  if (!line && !readCredentials(stateDir))
    throw new CliError(
      'This host has not joined a team. Run "temblor init" first, or give the join line in TEMBLOR_JOIN.',
    )
  const { obtainWhenAdmitted } = await import('../../enrol.ts')
  const say = (text: string) => io.say(text)
  const { teamId } = await obtainWhenAdmitted(stateDir, readInstanceId(stateDir), line, say).catch(
    (error: unknown) => {
      throw new CliError(error instanceof Error ? error.message : String(error))
    },
  )
  return teamId
}

async function uninstall(io: CliIo): Promise<void> {
  needSystemdAndRoot('uninstall')
  const isInstalled = existsSync(unitFile)
  if (isInstalled) {
    await systemctl('disable', '--now', unit)
    rmSync(unitFile)
    await systemctl('daemon-reload')
    // It may be listed as failed, and then outlives its file.
    await systemctl('reset-failed', unit).catch(() => {})
  }
  const { stateDir } = readConfig(io.env)
  printResult(io, { removed: isInstalled, stateDir }, () =>
    isInstalled
      ? `The agent is stopped and its service removed. Its identity is still in ${stateDir}.`
      : 'The agent was not installed as a service.',
  )
}

function needSystemdAndRoot(command: string): void {
  if (!existsSync('/run/systemd/system'))
    throw new CliError(
      `agent ${command} needs systemd, which does not run here. Let your own supervisor run ` +
        '"temblor agent run" as root, start it again when it ends, and run "temblor rollback" after each end.',
    )
  if (process.getuid?.() !== 0) throw new CliError(`agent ${command} must be run as root.`)
}

async function systemctl(...args: string[]): Promise<void> {
  await run('systemctl', args).catch((error: unknown) => {
    const { stderr } = error as { stderr?: string }
    throw new CliError(`systemctl ${args.join(' ')} failed: ${(stderr ?? String(error)).trim()}`)
  })
}
