import path from 'node:path'
import { banner } from './banner.ts'
import { killChildren } from './child-process.ts'
import { type DataDir, openDataDir } from './data-dir.ts'
import { knownPassword, readLocalFile, writeLocalFile, type LocalFile } from './local-file.ts'
import { checkPorts, readSettings, type StartSettings } from './settings.ts'
import { onEndSignals } from './signals.ts'
import { type Stack, startStack } from './stack.ts'

const say = (line: string) => void process.stderr.write(`${line}\n`)

try {
  process.exitCode = await main(readSettings(process.env))
} catch (error) {
  say(`temblor: ${(error as Error).message}`)
  process.exitCode = 1
}
// Pipes to children that were ended by force may still be open.
process.exit()

/** Runs the service until a signal or the death of a part ends it. Resolves to the exit code. */
async function main(settings: StartSettings): Promise<number> {
  const dataDir = openDataDir(settings.dataDir)
  const signal = Promise.withResolvers<string>()
  const waiting = new AbortController()
  const end = (name: string) => {
    signal.resolve(name)
    waiting.abort()
  }
  const forget = onEndSignals(end, () => {
    say('Ending at once.')
    killChildren()
  })
  try {
    await checkPorts(settings)
    const stack = await startStack({ ...settings, dataDir, say, signal: waiting.signal }).catch(
      (error: unknown) => {
        if (error instanceof Error && error.name === 'AbortError') return undefined
        throw error
      },
    )
    if (!stack) return 0
    announce(stack, dataDir)
    const broken = stack.broken.then((reason) => ({ reason }))
    const ending = await Promise.race([signal.promise, broken])
    const isSignal = typeof ending === 'string'
    say(
      isSignal
        ? `\nEnding: halting and reverting what runs, then stopping (${ending}).`
        : `Ending, because ${ending.reason}`,
    )
    await stack.stop()
    return isSignal ? 0 : 1
  } finally {
    forget()
    dataDir.release()
  }
}

function announce(stack: Stack, dataDir: DataDir): void {
  const { first } = stack
  const local: LocalFile = {
    baseUrl: stack.baseUrl,
    appUrl: stack.appUrl,
    grpcAddress: stack.grpcAddress,
    company: first.company,
    team: { id: first.team.id, name: first.team.name },
    owner: {
      email: first.owner.email,
      password: knownPassword(readLocalFile(dataDir.path), first.owner, first.company.id),
    },
    join: stack.joinLine,
    redisUrl: stack.redisUrl,
  }
  writeLocalFile(dataDir.path, local)
  const wasGenerated = first.created && !process.env['TEMBLOR_OWNER_PASSWORD']
  const text = banner({
    local,
    localFilePath: path.join(dataDir.path, 'local.json'),
    newPassword: wasGenerated ? first.owner.password : null,
    agentIdentifier: stack.agent.identifier,
    agentWarnings: stack.agent.warnings,
    logsPath: dataDir.logsPath,
  })
  process.stdout.write(`${text}\n`)
}
