import { Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { auditQuery } from '../../../api/audit.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { Loading } from '../../../parts/loading.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { AuditFilterBar } from './filter-bar.tsx'
import { AuditTable } from './audit-table.tsx'
import { ExportButton } from './export-button.tsx'

const page = getRouteApi('/shell/company/audit')

/** Who did what, from where, with which result. */
export function AuditPage() {
  const filters = page.useSearch()
  const { action, actor, from, to } = filters
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="Audit" />
      <Allowed privilege="SECURITY_REPORTS_READ">
        <AuditFilterBar filters={{ action, actor, from, to }} />
        <Entries filters={{ action, actor, from, to }} />
      </Allowed>
    </Stack>
  )
}

function Entries({ filters }: Parameters<typeof AuditFilterBar>[0]) {
  const { api } = useApp()
  const audit = useInfiniteQuery(auditQuery(api, filters))
  const entries = audit.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      {audit.isPending && <Loading what="the audit" />}
      <ErrorText error={audit.error} retry={() => void audit.refetch()} />
      {audit.isSuccess && entries.length === 0 && (
        <Text size="sm">Nothing of this kind is in the audit.</Text>
      )}
      {entries.length > 0 && <AuditTable entries={entries} />}
      <Group>
        {audit.hasNextPage && (
          <Button
            size="xs"
            variant="default"
            loading={audit.isFetchingNextPage}
            onClick={() => void audit.fetchNextPage()}
          >
            Older entries
          </Button>
        )}
        <ExportButton filters={filters} />
      </Group>
    </>
  )
}
