import { Checkbox, List, Radio, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { blockAttacks } from '../../../shared/api/attack-block.ts'
import { listActiveAttacks } from '../../../shared/api/attacks.ts'
import { haltAttackWithReason, haltEverything } from '../../../shared/api/halts.ts'
import type { Attack } from '../../../shared/api/records.ts'
import { attackBlockQuery } from '../api/attack-block.ts'
import { applyAttacks, activeAttacksQuery } from '../api/attacks.ts'
import type { WebApi } from '../api/create-api.ts'
import { useApp } from '../app-context.ts'
import { ConfirmDanger } from '../parts/confirm-danger.tsx'
import { countWords } from '../parts/count-words.ts'
import { ErrorText } from '../parts/error-text.tsx'
import { useMe, type Me } from './me.tsx'

const shownAttacks = 8

type Reach = 'team' | 'company'

/** Names what will be halted, then halts it. */
export function HaltAllDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, queryClient } = useApp()
  const me = useMe()
  const ofTeam = me.can('HALT_WRITE') && me.team !== undefined
  const [reach, setReach] = useState<Reach>(ofTeam ? 'team' : 'company')
  const [reason, setReason] = useState('')
  const [blocks, setBlocks] = useState(false)
  const active = useQuery({
    ...activeAttacksQuery(api, me.team?.identifier ?? ''),
    enabled: me.team !== undefined && me.can('EXPERIMENTS_READ'),
    staleTime: 0,
  })
  const halt = async () => {
    // First, so that nothing starts while the rest is being halted.
    if (reach === 'company' && blocks) {
      const block = await api.call(blockAttacks, { body: { reason: reason || null } })
      queryClient.setQueryData(attackBlockQuery(api).queryKey, block)
    }
    const halted = await haltAll(api, me, reach, reason || undefined)
    applyAttacks(queryClient, halted)
    notifications.show({ message: `Halting ${attackWords(halted)}.` })
  }
  return (
    <ConfirmDanger
      isOpen
      onClose={onClose}
      title={titleOf(reach, me, active.data)}
      action={reach === 'team' ? 'Halt the team' : 'Halt the company'}
      onConfirm={halt}
    >
      <Stack gap="md">
        <ErrorText error={active.error} />
        {ofTeam && me.can('HALT_ALL') && (
          <Radio.Group label="What" value={reach} onChange={(value) => setReach(value as Reach)}>
            <Stack gap="xs" mt="xs">
              <Radio value="team" label={`Attacks of team ${me.team?.name}`} />
              <Radio value="company" label={`Attacks of all teams of ${me.self.company_name}`} />
            </Stack>
          </Radio.Group>
        )}
        {reach === 'company' && (
          <Checkbox
            label={`Block new attacks in ${me.self.company_name}`}
            description="Nobody can start one until somebody who may halt the company allows it again."
            checked={blocks}
            onChange={(event) => setBlocks(event.currentTarget.checked)}
          />
        )}
        <Running attacks={active.data} team={me.team?.name} />
        <TextInput
          label="Reason"
          description="Optional. Shown with each attack, and in the audit."
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmDanger>
  )
}

function Running({ attacks, team }: { attacks: readonly Attack[] | undefined; team?: string }) {
  if (!attacks) return null
  if (attacks.length === 0)
    return <Text size="sm">{`Nothing that team ${team} has started runs at this moment.`}</Text>
  const more = attacks.length - shownAttacks
  return (
    <div>
      <Text size="sm">{`Running in team ${team}:`}</Text>
      <List size="sm">
        {attacks.slice(0, shownAttacks).map(({ guid, command_type, targets }) => (
          <List.Item key={guid} className="temblor-given">
            {`${command_type} on ${targets.slice(0, shownAttacks).join(', ')}`}
            {targets.length > shownAttacks && ` and ${targets.length - shownAttacks} more`}
          </List.Item>
        ))}
        {more > 0 && <List.Item>{`and ${countWords(more, 'attack')} more`}</List.Item>}
      </List>
    </div>
  )
}

function titleOf(reach: Reach, me: Me, attacks: readonly Attack[] | undefined): string {
  if (reach === 'company') return `Halt everything in ${me.self.company_name}?`
  return attacks ? `Halt ${attackWords(attacks)}?` : 'Halt all attacks of the team?'
}

function attackWords(attacks: readonly Attack[]): string {
  const hosts = new Set(attacks.flatMap(({ targets }) => targets)).size
  return attacks.length === 0
    ? 'nothing that runs'
    : `${countWords(attacks.length, 'attack')} on ${countWords(hosts, 'host')}`
}

/**
 * Who may halt the company halts a team attack by attack: the one order would reach them all. They are asked for
 * now: what the dialog shows may not be there yet, or be older than the newest of them.
 */
async function haltAll(
  api: WebApi,
  me: Me,
  reach: Reach,
  reason: string | undefined,
): Promise<Attack[]> {
  const teamId = me.team?.identifier
  const query = teamId ? { teamId } : {}
  const body = { reason: reason ?? null }
  if (reach === 'company' || !me.can('HALT_ALL'))
    return await api.call(haltEverything, { query, body })
  const active = await api.call(listActiveAttacks, { query })
  const each = active.map(({ guid }) =>
    api.call(haltAttackWithReason, { params: { guid }, query, body }),
  )
  return (await Promise.all(each)).flat()
}
