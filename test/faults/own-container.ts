import { executorRig } from './executor-rig.ts'

/**
 * Run inside a container: stops the container that the first argument names, and prints what the
 * agent's executor says about it.
 */
const [id = ''] = process.argv.slice(2)
const rig = await executorRig()
const target = { id, name: 'named' }
const report = await rig.ended(await rig.attack('shutdown', { delayMinutes: 0 }, target))
process.stdout.write(`${JSON.stringify(report)}\n`)
await rig[Symbol.asyncDispose]()
process.exit()
