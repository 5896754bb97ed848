import { expect, test } from 'vitest'
import type { Attack, Execution } from '../../../shared/api/records.ts'
import { lifecycleOf, type Stage } from '../../../shared/stages.ts'
import { attackLines, exitCodeOf } from './attack-view.ts'

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

test.each([
  ['Ended after its length.', []],
  ['Halted.', []],
  [
    'Ended after its length. No packet of the chosen traffic was seen.',
    ['web-1: Ended after its length. No packet of the chosen traffic was seen.'],
  ],
])(
  'an attack that ended with "%s" is shown with what that says beyond its stage',
  (output, lines) => {
    const stage = 'Successful'
    const executions = [
      { client_id: 'web-1', stage, stage_lifecycle: 'Complete', end_time: 'then', output },
    ] as Execution[]
    const attack = {
      args: [],
      stage,
      targets_without_container: [] as string[],
    } as unknown as Attack
    const shown = attackLines({ attack, executions }, { paint: (_, text) => text })
    expect(shown.filter((line) => line.startsWith('web-1: '))).toEqual(lines)
  },
)
