import { Stack, Text } from '@mantine/core'
import type { CreateAttackBody } from '../../../../shared/api/attacks.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { CopyLine } from '../../parts/copy-line.tsx'
import { cliLine, curlLine } from './command-lines.ts'
import type { Draft } from './draft.ts'
import { FormBlock } from './form-block.tsx'

interface SameAttackProps {
  readonly teamId: string
  readonly type: AttackType
  readonly draft: Draft
  /** Undefined while something is wrong in the form. */
  readonly body: CreateAttackBody | undefined
}

/** What stands in the form, for a terminal or a job. */
export function SameAttack({ teamId, type, draft, body }: SameAttackProps) {
  const line = body && cliLine(type, draft)
  return (
    <FormBlock title="The same without this page">
      {body ? (
        <Stack gap="xs" className="temblor-wrapped">
          {line === undefined ? (
            <Text size="sm">
              The command line has no options for this choice of targets; the API has.
            </Text>
          ) : (
            <CopyLine label="Command line" text={line} />
          )}
          <CopyLine label="curl" text={curlLine(`${location.origin}/v1`, teamId, body)} />
          <Text size="xs" c="dimmed">
            curl takes an API key from the environment: <code>temblor key create</code> makes one.
          </Text>
        </Stack>
      ) : (
        <Text size="sm">It is here once nothing in the form is marked.</Text>
      )}
    </FormBlock>
  )
}
