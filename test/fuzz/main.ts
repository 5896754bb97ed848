import { parseArgs } from 'node:util'
import { startService } from '../support/service.ts'
import { startTestController } from '../support/in-process.ts'
import { fuzz, harmless, type Failure } from './fuzz.ts'
import { fuzzOAuth } from './oauth.ts'
import { fuzzSaml } from './saml.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    count: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    connections: { type: 'string', default: '6' },
    saml: { type: 'boolean', default: false },
    oauth: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const say = (line: string) => void process.stderr.write(`${line}\n`)

if (values.saml) process.exit(await fuzzSamlResponses())
if (values.oauth) process.exit(await fuzzOAuthCallbacks())

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

/** `--saml`: changed responses of an identity provider instead of requests. */
async function fuzzSamlResponses(): Promise<number> {
  const [from, count] = [Number(values.from), Number(values.count)]
  say(`Starting a controller of its own; seed ${seed}, ${count} SAML responses.`)
  await using controller = await startTestController()
  const result = await fuzzSaml(controller, { seed, from, count, say })
  for (const { index, fault, sent } of result.failures.slice(0, 20)) {
    say(`\nFAILED: ${fault}`)
    say(`  again: npm run fuzz -- --saml --seed ${seed} --from ${index} --count 1`)
    say(`  sent: ${sent.slice(0, 4_000)}`)
  }
  for (const line of result.damage) say(`\nDAMAGE: ${line}`)
  say(`\nAnswers: ${JSON.stringify(result.byStatus)}`)
  process.stdout.write(
    `seed ${seed}: ${count} responses, ${result.failures.length} bad answers, ${result.damage.length} damages; ` +
      `let in: ${result.untouched} untouched, ${result.harmless} that say the same\n`,
  )
  return result.failures.length + result.damage.length > 0 ? 1 : 0
}

/** `--oauth`: changed callbacks of an OAuth provider instead of requests. */
async function fuzzOAuthCallbacks(): Promise<number> {
  const [from, count] = [Number(values.from), Number(values.count)]
  say(`Starting a controller of its own; seed ${seed}, ${count} callbacks.`)
  await using controller = await startTestController()
  const result = await fuzzOAuth(controller, { seed, from, count, say })
  for (const { index, fault, sent } of result.failures.slice(0, 20)) {
    say(`\nFAILED: ${fault}`)
    say(`  again: npm run fuzz -- --oauth --seed ${seed} --from ${index} --count 1`)
    say(`  sent: ${sent.slice(0, 4_000)}`)
  }
  for (const line of result.damage) say(`\nDAMAGE: ${line}`)
  say(`\nAnswers: ${JSON.stringify(result.byStatus)}`)
  process.stdout.write(
    `seed ${seed}: ${count} callbacks, ${result.failures.length} bad answers, ${result.damage.length} damages; ` +
      `let in: ${result.untouched} untouched, ${result.harmless} that say the same\n`,
  )
  return result.failures.length + result.damage.length > 0 ? 1 : 0
}
