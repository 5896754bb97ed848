import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { attackTypeNames } from '../../../../shared/attacks/index.ts'
import { attackStates, type AttackSearch } from '../../api/attack-states.ts'
import { SearchInput } from '../../parts/search-input.tsx'

const stateWords = {
  active: 'Running',
  over: 'Over',
  successful: 'Over: successful',
  halted: 'Over: halted',
  failed: 'Over: failed',
} as const

/** The filters, which stand in the address. */
export function AttackFilterBar({ filters }: { readonly filters: AttackSearch }) {
  const navigate = useNavigate({ from: '/attacks' })
  const change = (part: AttackSearch) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true })
  const { state = '', type = '', text, from = '', to = '' } = filters
  const types: readonly string[] = attackTypeNames
  return (
    <Group gap="xs" mb="sm" align="flex-end" role="search" aria-label="Filter the attacks">
      <NativeSelect
        label="State"
        size="xs"
        value={state}
        onChange={({ currentTarget: { value } }) =>
          change({ state: attackStates.find((one) => one === value) })
        }
        data={[
          { value: '', label: 'All' },
          ...attackStates.map((one) => ({ value: one, label: stateWords[one] })),
        ]}
      />
      <NativeSelect
        label="Type"
        size="xs"
        value={type}
        onChange={({ currentTarget: { value } }) => change({ type: value || undefined })}
        data={[
          { value: '', label: 'All' },
          ...(type === '' || types.includes(type) ? types : [...types, type]),
        ]}
      />
      <SearchInput
        label="Target, user or id"
        value={text}
        onSearch={(wanted) => change({ text: wanted })}
      />
      <TextInput
        label="From"
        // A phone has little room: there the days come by the address alone.
        {...(from === '' ? { visibleFrom: 'sm' } : {})}
        size="xs"
        type="date"
        value={from}
        onChange={({ currentTarget: { value } }) => change({ from: value || undefined })}
      />
      <TextInput
        label="To"
        {...(to === '' ? { visibleFrom: 'sm' } : {})}
        size="xs"
        type="date"
        value={to}
        onChange={({ currentTarget: { value } }) => change({ to: value || undefined })}
      />
    </Group>
  )
}
