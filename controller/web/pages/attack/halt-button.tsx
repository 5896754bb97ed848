import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { haltAttackWithReason } from '../../../../shared/api/halts.ts'
import type { Attack } from '../../../../shared/api/records.ts'
import { isOver } from '../../../../shared/attack-words.ts'
import { applyAttacks } from '../../api/attacks.ts'
import { useApp } from '../../app-context.ts'
import { countWords } from '../../parts/count-words.ts'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { useMe } from '../../shell/me.tsx'

/** Ends this attack on all of its targets. */
export function HaltButton({ attack }: { readonly attack: Attack }) {
  const { api, queryClient } = useApp()
  const { can } = useMe()
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  if (isOver(attack) || !can('HALT_WRITE')) return null
  const halt = async () => {
    const halted = await api.call(haltAttackWithReason, {
      params: { guid: attack.guid },
      query: { teamId: attack.owning_team_id },
      body: { reason: reason || null },
    })
    applyAttacks(queryClient, halted)
  }
  return (
    <>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        size="xs"
        onClick={() => setOpen(true)}
      >
        Halt
      </Button>
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Halt ${attack.command_type} on ${countWords(attack.targets.length, 'host')}?`}
        action="Halt"
        onConfirm={halt}
      >
        <Text size="sm" className="temblor-given">
          {attack.targets.slice(0, 10).join(', ')}
          {attack.targets.length > 10 ? ` and ${attack.targets.length - 10} more` : ''}
        </Text>
        <TextInput
          label="Reason"
          description="Optional. Shown with the attack, and in the audit."
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </ConfirmDanger>
    </>
  )
}
