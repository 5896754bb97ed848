import { Group, MultiSelect, NativeSelect, SegmentedControl, Stack, TextInput } from '@mantine/core'
import type { TargetKind } from '../../../../shared/attacks/define.ts'
import { drawUnits, isPercent, type Draft, type DrawUnit } from './draft.ts'
import { FormBlock } from './form-block.tsx'
import type { FormPart } from './form-part.ts'
import type { KnownTargets } from './known-targets.ts'
import { PairsInput } from './pairs-input.tsx'

/** Whom the attack hits: hosts or containers, drawn at random or named. */
export function Who({
  draft,
  problems,
  change,
  known,
}: FormPart & { readonly known: KnownTargets }) {
  const isRandom = draft.choice === 'Random'
  return (
    <FormBlock title="Who">
      <Stack gap="sm">
        <Group gap="sm">
          <SegmentedControl
            aria-label="What is hit"
            value={draft.kind}
            onChange={(kind) => change(withKind(kind as TargetKind))}
            data={[
              { value: 'Host', label: 'Hosts' },
              { value: 'Container', label: 'Containers' },
            ]}
          />
          <SegmentedControl
            aria-label="How they are chosen"
            value={draft.choice}
            onChange={(choice) => change({ choice: choice as Draft['choice'] })}
            data={[
              { value: 'Random', label: 'Random' },
              { value: 'Exact', label: 'Exact' },
            ]}
          />
        </Group>
        {isRandom && <Amount draft={draft} problem={problems.amount} change={change} />}
        <Names draft={draft} problems={problems} change={change} known={known} />
        {isRandom && (
          <PairsInput
            label="Tags of the hosts"
            hint="All of these; a key twice means either. Empty: whatever they carry."
            value={draft.tags}
            known={known.tags}
            problem={problems.tags}
            onChange={(tags) => change({ tags })}
          />
        )}
        {draft.kind === 'Container' && (
          <PairsInput
            label="Labels of the containers"
            hint="All of these; a key twice means either. Empty: whatever they carry."
            value={draft.labels}
            known={known.labels}
            problem={problems.labels}
            onChange={(labels) => change({ labels })}
          />
        )}
      </Stack>
    </FormBlock>
  )
}

function withKind(kind: TargetKind): Partial<Draft> {
  return kind === 'Host'
    ? { kind, unit: 'hosts', labels: [], containers: [] }
    : { kind, unit: 'containers' }
}

const unitWords: Readonly<Record<DrawUnit, string>> = {
  hosts: 'hosts',
  'percent of hosts': '% of the hosts',
  containers: 'containers',
  'percent of containers': '% of the containers',
}

function Amount({
  draft,
  problem,
  change,
}: Pick<FormPart, 'draft' | 'change'> & { readonly problem: string | undefined }) {
  const isOfContainers = draft.kind === 'Container'
  const units = drawUnits.filter((unit) => isOfContainers || unit.endsWith('hosts'))
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        label="How many"
        description={isPercent(draft) ? 'Rounded up.' : 'Each has the same chance.'}
        inputMode="decimal"
        autoComplete="off"
        flex={1}
        value={draft.amount}
        error={problem}
        onChange={(event) => change({ amount: event.currentTarget.value.trim() })}
      />
      <NativeSelect
        label="of what"
        description="Of those that match below."
        flex={1}
        value={draft.unit}
        onChange={(event) => change({ unit: event.currentTarget.value as DrawUnit })}
        data={units.map((value) => ({
          value,
          label: `${unitWords[value]}${
            isOfContainers && value.endsWith('hosts') ? ', all that match there' : ''
          }`,
        }))}
      />
    </Group>
  )
}

/** Hosts and containers by name. */
function Names({
  draft,
  problems,
  change,
  known,
}: Omit<FormPart, 'type'> & { readonly known: KnownTargets }) {
  const { kind, choice, hosts, containers } = draft
  const isNeeded = kind === 'Host' && choice === 'Exact'
  return (
    <>
      <MultiSelect
        label={isNeeded ? 'Hosts' : 'Among these hosts'}
        description={isNeeded ? 'All of them are hit, or nothing is.' : 'Empty: all of the team.'}
        placeholder={hosts.length === 0 ? 'Choose' : ''}
        searchable
        clearable
        limit={50}
        value={[...hosts]}
        data={[...new Set([...known.hosts, ...hosts])]}
        error={problems.hosts}
        onChange={(chosen) => change({ hosts: chosen })}
        clearButtonProps={{ 'aria-label': 'Choose no host' }}
        nothingFoundMessage="No such host"
      />
      {kind === 'Container' && (
        <MultiSelect
          label={choice === 'Exact' ? 'Containers' : 'Among these containers'}
          description="Empty: all that match. Protected ones are not here."
          placeholder={containers.length === 0 ? 'Choose' : ''}
          searchable
          clearable
          limit={50}
          value={[...containers]}
          data={withUnknown(known, containers)}
          error={problems.containers}
          onChange={(chosen) => change({ containers: chosen })}
          clearButtonProps={{ 'aria-label': 'Choose no container' }}
          nothingFoundMessage="No such container"
        />
      )}
    </>
  )
}

/** Those that are there, and those that were chosen and have gone. */
function withUnknown({ containers }: KnownTargets, chosen: readonly string[]) {
  const gone = chosen.filter((id) => !containers.some(({ value }) => value === id))
  return [...containers, ...gone.map((id) => ({ value: id, label: `${id.slice(0, 12)} (gone)` }))]
}
