import { lifecycleOf, type Stage } from '../../../shared/stages.ts'

type Tone = 'waiting' | 'running' | 'halting' | 'good' | 'halted' | 'bad'

const shorter: Readonly<Record<string, string>> = {
  'User halted': 'Halted',
  Halt: 'Halting',
  'Halt distributed': 'Halt sent',
}

/** The name of a stage for people: `TearingDown` is "Tearing down". */
export function stageWords(stage: Stage): string {
  const words = stage.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return shorter[words] ?? words
}

/** A stage by name, and by colour and shape as well. */
export function StageBadge({ stage }: { readonly stage: Stage }) {
  return (
    <span className="temblor-stage" data-tone={toneOf(stage)}>
      {stageWords(stage)}
    </span>
  )
}

/** How a stage is to be taken; says its colour and shape. */
export function toneOf(stage: Stage): Tone {
  if (stage === 'UserHalted') return 'halted'
  if (stage === 'Running' || stage === 'TearingDown') return 'running'
  const tones = { Active: 'waiting', Halting: 'halting', Complete: 'good', Error: 'bad' } as const
  return tones[lifecycleOf(stage)]
}
