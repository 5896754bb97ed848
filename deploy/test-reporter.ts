import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestModule } from 'vitest/node'

/** Writes how many tests passed, failed and were skipped, which and why, to TEMBLOR_TEST_REPORT. */
// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter by its default export
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const file = process.env['TEMBLOR_TEST_REPORT']
    if (file) writeFileSync(file, JSON.stringify(count(modules, unhandledErrors)))
  }
}

function count(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  // A file that does not load, or a hook that throws, has no failed test to count.
  const brokenFiles = modules.filter(
    (module) =>
      module.state() === 'failed' &&
      ![...module.children.allTests()].some((test) => test.result().state === 'failed'),
  )
  const skipped = [...inState('skipped'), ...inState('pending')]
  const failures = [
    ...inState('failed').map((test) => failure(test.module, test.fullName, test.result().errors)),
    ...brokenFiles.map((module) => failure(module, 'did not run to its end', module.errors())),
    ...unhandledErrors.map((error) => ({ name: 'outside of any test', reason: String(error) })),
  ]
  return {
    passed: inState('passed').length,
    failed: failures.length,
    failures,
    skipped: skipped.length,
    skippedTests: skipped.map((test) => {
      const result = test.result()
      const note = 'note' in result ? result.note : undefined
      return { name: test.fullName, reason: note ?? 'no reason given' }
    }),
  }
}

/** What of an error is shown: enough to see which part of a large object is not as it should be. */
const shownLength = 1_500

interface TestError {
  readonly message: string
  readonly diff?: string | undefined
  readonly cause?: unknown
}

/** The first error tells; those behind it are of hooks that found what it had left. */
function failure(module: TestModule, name: string, errors: readonly TestError[] = []) {
  const told = errors.map(wordsOf).join('\nThen: ') || 'no reason given'
  const reason = stripVTControlCharacters(told).slice(0, shownLength)
  return { name: `${module.relativeModuleId}: ${name}`, reason }
}

function wordsOf({ message, diff, cause }: TestError): string {
  const why = isError(cause) ? `Because: ${wordsOf(cause)}` : undefined
  return [message, diff, why].filter(Boolean).join('\n')
}

function isError(cause: unknown): cause is TestError {
  return typeof cause === 'object' && cause !== null && 'message' in cause
}
