import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { fences } from './agent/fences.ts'
import { partsOf } from './plan.ts'
import { isInNetwork, runInNetwork } from './rig/network.ts'
import { planners, run } from './run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'string', default: '1000' },
    plan: { type: 'string', default: 'storms' },
    network: { type: 'string', default: 'relays' },
    without: { type: 'string' },
    dir: { type: 'string' },
  },
})
const say = (line: string) => void process.stderr.write(`${line}\n`)
const removable = [...Object.keys(fences), 'fsync']
if (values.without !== undefined && !removable.includes(values.without)) {
  say(`--without cannot be "${values.without}". Allowed: ${removable.join(', ')}.`)
  process.exit(2)
}
const plan = values.plan as keyof typeof planners
if (!Object.hasOwn(planners, plan)) {
  say(`--plan cannot be "${plan}". Allowed: ${Object.keys(planners).join(', ')}.`)
  process.exit(2)
}

if (!['relays', 'namespaces'].includes(values.network)) {
  say(`--network cannot be "${values.network}". Allowed: relays, namespaces.`)
  process.exit(2)
}
if (values.network === 'namespaces' && !isInNetwork())
  process.exit(await runInNetwork(partsOf(planners[plan].ways)))

const dir = values.dir ?? mkdtempSync(path.join(tmpdir(), 'temblor-chaos-'))
const [seed, faults] = [Number(values.seed), Number(values.faults)]
const { violations, deaths, summary } = await run({
  seed,
  faults,
  plan,
  dir,
  without: values.without,
  say,
})
for (const death of deaths) say(`\nDIED: ${death}`)
for (const { invariant, what, events } of violations.slice(0, 20)) {
  say(`\nVIOLATED: ${invariant}\n  ${what}`)
  for (const event of events.slice(-12)) say(`    ${event}`)
}
if (violations.length + deaths.length > 0) {
  const cut = values.without ? ` --without ${values.without}` : ''
  say(
    `\nagain: npm run chaos -- --seed ${seed} --faults ${faults} --plan ${plan} --network ${values.network}${cut}`,
  )
  say(`histories and logs: ${dir}`)
}
process.stdout.write(`${summary}\n`)
process.exitCode = violations.length + deaths.length > 0 ? 1 : 0
