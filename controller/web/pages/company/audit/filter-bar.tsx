import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { auditActions } from '../../../../../shared/audit-actions.ts'
import type { AuditFilters } from '../../../api/audit.ts'

const kinds = [...new Set(Object.keys(auditActions).map((action) => action.replace(/\..*/, '.')))]

/** The filters, which stand in the address. */
export function AuditFilterBar({ filters }: { readonly filters: AuditFilters }) {
  const navigate = useNavigate({ from: '/company/audit' })
  const change = (part: AuditFilters) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true })
  const actor = (value: string) => {
    if (value.trim() !== (filters.actor ?? '')) change({ actor: value.trim() || undefined })
  }
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Filter the audit">
      <NativeSelect
        label="Action"
        size="xs"
        value={filters.action ?? ''}
        onChange={({ currentTarget: { value } }) => change({ action: value || undefined })}
        data={[
          { value: '', label: 'All' },
          ...kinds.map((kind) => ({
            group: kind.replace('.', ''),
            items: [
              { value: kind, label: `${kind}* (all of them)` },
              ...Object.keys(auditActions).filter((action) => action.startsWith(kind)),
            ],
          })),
        ]}
      />
      <TextInput
        // Another filter in the address, by Back or a link, is shown.
        key={filters.actor ?? ''}
        label="Who"
        description={undefined}
        placeholder="Email address, name or id"
        size="xs"
        type="search"
        defaultValue={filters.actor ?? ''}
        onBlur={(event) => actor(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') actor(event.currentTarget.value)
        }}
      />
      <TextInput
        label="From"
        size="xs"
        type="date"
        value={filters.from ?? ''}
        onChange={({ currentTarget: { value } }) => change({ from: value || undefined })}
      />
      <TextInput
        label="To"
        size="xs"
        type="date"
        value={filters.to ?? ''}
        onChange={({ currentTarget: { value } }) => change({ to: value || undefined })}
      />
    </Group>
  )
}
