import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Writes how many tests passed, failed and were skipped, and why, to TEMBLOR_TEST_REPORT. */
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
  return {
    passed: inState('passed').length,
    failed: inState('failed').length + brokenFiles.length + unhandledErrors.length,
    skipped: skipped.length,
    skippedTests: skipped.map((test) => {
      const result = test.result()
      const note = 'note' in result ? result.note : undefined
      return { name: test.fullName, reason: note ?? 'no reason given' }
    }),
  }
}
