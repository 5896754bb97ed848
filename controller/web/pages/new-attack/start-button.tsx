import { Button, List, Text } from '@mantine/core'
import { useState } from 'react'
import type { AttackPreview } from '../../../../shared/api/attacks.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { actionWords, radiusWords } from './blast-words.ts'
import type { LivePreview } from './use-preview.ts'
import type { Start } from './use-start.ts'

interface StartButtonProps {
  readonly type: AttackType
  readonly preview: LivePreview
  readonly start: Start
}

/** Starts it, naming whom it hits. What cannot be undone is asked for once more. */
export function StartButton({ type, preview, start }: StartButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const { data } = preview
  const isReady = preview.isCurrent && data?.would_start === true
  const press = () => {
    if (data && data.warnings.length > 0) setAsking(true)
    // What it throws is shown above the button.
    else start.run().catch(() => undefined)
  }
  return (
    <>
      {!isAsking && <ErrorText error={start.error} />}
      <Button fullWidth disabled={!isReady} loading={start.isPending} onClick={press}>
        {actionWords(type, preview.isCurrent ? data : undefined)}
      </Button>
      {data && (
        <ConfirmDanger
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          title={`${type.title}: hit ${radiusWords(data)}?`}
          action={actionWords(type, data)}
          isDisabled={!isReady}
          onConfirm={start.run}
        >
          <Warnings data={data} />
        </ConfirmDanger>
      )}
    </>
  )
}

function Warnings({ data }: { readonly data: AttackPreview }) {
  const names = data.would_hit.map(({ client_id, guest_name }) =>
    guest_name === null ? client_id : `${client_id}/${guest_name}`,
  )
  return (
    <>
      {data.warnings.map((warning) => (
        <Text key={warning}>{warning}</Text>
      ))}
      <List size="sm">
        {names.slice(0, 10).map((name) => (
          <List.Item key={name} className="temblor-given">
            {name}
          </List.Item>
        ))}
        {names.length > 10 && <List.Item>{`and ${names.length - 10} more`}</List.Item>}
      </List>
    </>
  )
}
