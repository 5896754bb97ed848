import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { toolBox } from './checks.mjs'

/**
 * Runs tests and gives the exit code and the last line to print, `N passed, N failed, N skipped`.
 * A run without a single test is a failure: it proves nothing.
 */
export async function runTests(root, args, env, say) {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-test-'))
  const report = path.join(dir, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=./deploy/test-reporter.ts']
    const code = await toolBox(root).run('vitest', ['run', ...reporters, ...args], {
      env: { ...process.env, ...env, TEMBLOR_TEST_REPORT: report },
    })
    return summarise(readReport(report), code, say)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function summarise(report, code, say) {
  if (report === undefined) {
    say('vitest ended before it had a result.')
    return { code: code || 1, line: '0 passed, 1 failed, 0 skipped' }
  }
  const { passed, failed, skipped, skippedTests } = report
  for (const test of skippedTests) say(`skipped: ${test.name}: ${test.reason}`)
  if (passed + failed === 0) say('No test ran.')
  const isBad = failed > 0 || passed === 0
  return {
    code: code || (isBad ? 1 : 0),
    line: `${passed} passed, ${failed} failed, ${skipped} skipped`,
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
