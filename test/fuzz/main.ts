import { parseArgs } from 'node:util'
import { startService } from '../support/service.ts'
import { fuzz, harmless, type Failure } from './fuzz.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    count: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    connections: { type: 'string', default: '6' },
  },
})
const seed = Number(values.seed)
const say = (line: string) => void process.stderr.write(`${line}\n`)

say(`Starting a service of its own; seed ${seed}, ${values.count} requests.`)
await using service = await startService(harmless)
const report = await fuzz(service, {
  seed,
  from: Number(values.from),
  count: Number(values.count),
  connections: Number(values.connections),
  say,
})
for (const failure of report.failures.slice(0, 20)) print(failure)
for (const line of report.damage) say(`\nDAMAGE: ${line}`)
const { failures, damage, byStatus, seconds, megabytes } = report
say(`\nAnswers: ${JSON.stringify(byStatus)}`)
say(`Controller: ${megabytes.before} MB before, ${megabytes.after} MB after.`)
process.stdout.write(
  `seed ${seed}: ${values.count} requests in ${seconds.toFixed(0)} s, ` +
    `${failures.length} bad answers, ${damage.length} damages\n`,
)
process.exitCode = failures.length + damage.length > 0 ? 1 : 0

function print({ index, fault, request }: Failure): void {
  say(`\nFAILED: ${request.operationId} (${request.kind}): ${fault}`)
  say(`  again: npm run fuzz -- --seed ${seed} --from ${index} --count 1`)
  const text = JSON.stringify(request.bytes.toString('latin1'))
  say(`  sent: ${text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length})` : text}`)
}
