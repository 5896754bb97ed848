import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { toolBox } from './checks.mjs'

/**
 * The whole suite, turn by turn. The lanes of a turn run beside each other, the projects of a lane one after
 * the other: emulated machines take all cores there are, so that beside them no load is measured, while tests of the
 * API and of faults wait most of the time. Four of these at once would leave too little CPU for what is measured in them.
 */
const turns = [
  [['guests'], ['unit', 'contract', 'cluster', 'chaos']],
  [
    ['faults', 'web'],
    ['e2e', 'integration --shard=1/4'],
    ['integration --shard=2/4', 'integration --shard=3/4', 'integration --shard=4/4'],
  ],
]
const nothing = { passed: 0, failed: 0, skipped: 0, skippedTests: [], failures: [], code: 0 }

/**
 * Runs tests and gives the exit code and the last line to print, `N passed, N failed, N skipped`.
 * A run without a single test is a failure: it proves nothing.
 * @param args for vitest; with none the whole suite runs
 */
export async function runTests(root, args, env, say) {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-test-'))
  try {
    const run = (name, words, log) => runVitest(root, dir, name, words, env, log)
    const results = args.length > 0 ? [await run('chosen', args)] : await runTurns(dir, run)
    return summarise(results, say)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What runs beside another is shown when the turn is over, in one piece. */
async function runTurns(dir, run) {
  const results = []
  for (const turn of turns) {
    const lanes = turn.map(async (projects, index) => {
      const log = index === 0 ? undefined : path.join(dir, `lane-${index}.log`)
      const ofLane = []
      for (const project of projects) {
        const name = project.replaceAll(/\W+/g, '-')
        ofLane.push(await run(name, ['--project', ...project.split(' ')], log))
      }
      return { ofLane, log }
    })
    for (const { ofLane, log } of await Promise.all(lanes)) {
      if (log) process.stdout.write(readFileSync(log))
      results.push(...ofLane)
    }
  }
  return results
}

/** @param log the file that gets the output; this terminal when not given */
async function runVitest(root, dir, name, words, env, log) {
  const report = path.join(dir, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=./deploy/test-reporter.ts']
  const output = log === undefined ? undefined : openSync(log, 'a')
  try {
    const code = await toolBox(root).run('vitest', ['run', ...reporters, ...words], {
      env: { ...process.env, ...env, TEMBLOR_TEST_REPORT: report },
      ...(output === undefined ? {} : { stdio: ['ignore', output, output] }),
    })
    return readReport(report, name, code)
  } finally {
    if (output !== undefined) closeSync(output)
  }
}

function summarise(results, say) {
  const sum = (name) => results.reduce((total, result) => total + result[name], 0)
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map(sum)
  for (const test of results.flatMap(({ skippedTests }) => skippedTests))
    say(`skipped: ${test.name}: ${test.reason}`)
  // Again at the end: whoever reads the end of a log of 3,000 tests sees what is wrong.
  for (const test of results.flatMap(({ failures }) => failures))
    say(`failed: ${test.name}: ${test.reason}`)
  if (passed + failed === 0) say('No test ran.')
  const code = results.find((result) => result.code !== 0)?.code ?? 0
  const isBad = failed > 0 || passed === 0
  return {
    code: code || (isBad ? 1 : 0),
    line: `${passed} passed, ${failed} failed, ${skipped} skipped`,
  }
}

function readReport(file, name, code) {
  try {
    return { ...JSON.parse(readFileSync(file, 'utf8')), code }
  } catch {
    process.stderr.write(`vitest (${name}) ended before it had a result.\n`)
    const failures = [{ name: `vitest (${name})`, reason: 'it ended before it had a result' }]
    return { ...nothing, failed: 1, failures, code: code || 1 }
  }
}
