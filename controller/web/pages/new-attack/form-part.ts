import type { AttackType } from '../../../../shared/attacks/define.ts'
import type { Problems } from './check-draft.ts'
import type { Draft } from './draft.ts'

/** What each block of the form is given. */
export interface FormPart {
  readonly draft: Draft
  readonly type: AttackType
  readonly problems: Problems
  /** Changes parts of what stands in the form. */
  readonly change: (part: Partial<Draft>) => void
}
