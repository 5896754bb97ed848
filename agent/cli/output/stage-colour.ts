import { lifecycleOf, type Stage, type StageLifecycle } from '../../../shared/stages.ts'
import type { CliIo } from './io.ts'

const colours = {
  Active: 'cyan',
  Halting: 'yellow',
  Complete: 'green',
  Error: 'red',
} as const satisfies Record<StageLifecycle, string>

/** Colours a stage. The word says it too: nothing is told by colour alone. */
export function paintStage({ paint }: Pick<CliIo, 'paint'>, stage: Stage): string {
  return paint(stage === 'UserHalted' ? 'yellow' : colours[lifecycleOf(stage)], stage)
}
