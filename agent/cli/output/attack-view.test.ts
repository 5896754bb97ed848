import { expect, test } from 'vitest'
import type { Attack, Execution } from '../../../shared/api/records.ts'
import { lifecycleOf, type Stage } from '../../../shared/stages.ts'
import { exitCodeOf } from './attack-view.ts'

function codeOf(stages: Stage[], withoutContainer: string[] = []): number {
  const executions = stages.map(
    (stage) => ({ stage, stage_lifecycle: lifecycleOf(stage) }) as Execution,
  )
  return exitCodeOf({
    attack: { targets_without_container: withoutContainer } as Attack,
    executions,
  })
}

test.each([
  [0, ['Successful', 'Successful']],
  [3, ['Failed']],
  [3, ['LostCommunication', 'TeardownFailed']],
  [5, ['UserHalted']],
  [5, ['Successful', 'UserHalted']],
  [6, ['Successful', 'ClientAborted']],
  [3, ['UserHalted', 'Failed']],
  [3, []],
] as [number, Stage[]][])('exit code %i for %j', (code, stages) => {
  expect(codeOf(stages)).toBe(code)
})

test('a named host without a matching container makes it partial', () => {
  expect(codeOf(['Successful'], ['web-2'])).toBe(6)
})
