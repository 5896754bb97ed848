import { describe, expect, test } from 'vitest'
import {
  allowedFrom,
  attackStage,
  endReasons,
  isEndReason,
  isStage,
  isTerminal,
  lifecycleOf,
  stages,
  type Stage,
} from './stages.ts'

const terminal = stages.filter((stage) => isTerminal(stage))
const path: Stage[] = ['Pending', 'Distributed', 'Initializing', 'Running', 'TearingDown']
const halt: Stage[] = [
  'Halt',
  'HaltDistributed',
  'InterruptTriggered',
  'RollbackTriggered',
  'RollbackStarted',
]

describe('transitions', () => {
  test('no stage is reached from a terminal stage', () => {
    const sources = new Set(stages.flatMap((to) => allowedFrom(to)))
    expect([...sources].filter((from) => isTerminal(from))).toEqual([])
  })

  test('no stage is reached from itself, so a repeated report changes nothing', () => {
    for (const stage of stages) expect(allowedFrom(stage)).not.toContain(stage)
  })

  test('two stages never follow each other in both directions', () => {
    const both = stages.filter((a) => allowedFrom(a).some((b) => allowedFrom(b).includes(a)))
    expect(both).toEqual([])
  })

  test('the way of a successful and of a halted execution is allowed step by step', () => {
    const ways: Stage[][] = [
      [...path, 'Successful'],
      [...halt, 'UserHalted'],
      ['Running', ...halt, 'HaltFailed'],
    ]
    for (const way of ways)
      for (const [index, from] of way.slice(0, -1).entries())
        expect(allowedFrom(way[index + 1] as Stage)).toContain(from)
    expect.assertions(16)
  })

  test('a halt is possible from every active stage, and a late Running does not undo it', () => {
    for (const from of path) expect(allowedFrom('Halt')).toContain(from)
    for (const from of halt) expect(allowedFrom('Running')).not.toContain(from)
  })

  test('every stage that is not over can end in every terminal stage', () => {
    for (const end of terminal)
      expect(allowedFrom(end)).toEqual(stages.filter((stage) => !terminal.includes(stage)))
  })

  test('nothing leads to Pending', () => {
    expect(allowedFrom('Pending')).toEqual([])
  })
})

describe('lifecycles', () => {
  test('are those that clients poll for', () => {
    for (const stage of path) expect(lifecycleOf(stage)).toBe('Active')
    for (const stage of halt) expect(lifecycleOf(stage)).toBe('Halting')
    expect(lifecycleOf('Successful')).toBe('Complete')
    expect(lifecycleOf('UserHalted')).toBe('Complete')
    for (const stage of terminal.filter((end) => end !== 'Successful' && end !== 'UserHalted'))
      expect(lifecycleOf(stage)).toBe('Error')
  })

  test('Complete and Error mean finished and the others do not', () => {
    for (const stage of stages)
      expect(['Complete', 'Error'].includes(lifecycleOf(stage))).toBe(isTerminal(stage))
  })
})

describe('the names', () => {
  test('are the twenty of the known interface', () => {
    expect(stages.toSorted()).toEqual(
      [
        'InvalidArgument',
        'TargetNotFound',
        'Successful',
        'UserHalted',
        'ClientAborted',
        'LostCommunication',
        'InitializationFailed',
        'TeardownFailed',
        'HaltFailed',
        'Failed',
        'Pending',
        'Distributed',
        'Initializing',
        'HaltDistributed',
        'InterruptTriggered',
        'RollbackTriggered',
        'RollbackStarted',
        'Running',
        'TearingDown',
        'Halt',
      ].toSorted(),
    )
  })

  test('are recognised exactly', () => {
    expect(isStage('Running')).toBe(true)
    for (const text of ['running', '', 'constructor', 'Active']) expect(isStage(text)).toBe(false)
  })
})

describe('the stage of an attack', () => {
  test.each<[Stage[], Stage]>([
    [['Pending'], 'Pending'],
    [['Pending', 'Running'], 'Running'],
    [['Running', 'Successful'], 'Running'],
    [['Running', 'Halt'], 'Halt'],
    [['Successful', 'Successful'], 'Successful'],
    [['Successful', 'UserHalted'], 'UserHalted'],
    [['UserHalted', 'LostCommunication', 'Successful'], 'LostCommunication'],
    [['LostCommunication', 'TeardownFailed'], 'TeardownFailed'],
    [['TeardownFailed', 'Pending'], 'Pending'],
  ])('%j is %s', (executions, expected) => {
    expect(attackStage(executions)).toBe(expected)
    expect(attackStage(executions.toReversed())).toBe(expected)
  })

  test('an attack is over exactly when all its executions are', () => {
    for (const a of stages)
      for (const b of stages)
        expect(isTerminal(attackStage([a, b]))).toBe(isTerminal(a) && isTerminal(b))
  })
})

describe('end reasons', () => {
  test('each has a terminal stage', () => {
    for (const [reason, stage] of Object.entries(endReasons)) {
      expect(isTerminal(stage)).toBe(true)
      expect(isEndReason(reason)).toBe(true)
    }
  })

  test('those that the design names have the stage that it names', () => {
    expect(endReasons).toMatchObject({
      agent_restarted: 'ClientAborted',
      target_gone: 'ClientAborted',
      controller_lost: 'ClientAborted',
      agent_silent: 'LostCommunication',
      left_behind: 'TeardownFailed',
      completed: 'Successful',
      halted: 'UserHalted',
    })
  })

  test('names that objects have from birth are no reasons', () => {
    expect(isEndReason('toString')).toBe(false)
    expect(isEndReason('')).toBe(false)
  })
})
