import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { readAuditFile, type AuditFilters } from '../../../api/audit.ts'
import { wordsOf } from '../../../api/error-words.ts'
import { useApp } from '../../../app-context.ts'

/** Saves the audit of the chosen days as JSON lines, the form in which it can be verified. */
export function ExportButton({ filters }: { readonly filters: AuditFilters }) {
  const { api } = useApp()
  const work = useMutation({
    mutationFn: async () => save(await readAuditFile(api, filters), 'audit.ndjson'),
    onError: (error) => notifications.show({ color: 'red', message: wordsOf(error) }),
  })
  return (
    <Button size="xs" variant="default" loading={work.isPending} onClick={() => work.mutate()}>
      {filters.from || filters.to ? 'Export these days' : 'Export all of it'}
    </Button>
  )
}

/** A request that needs a header is no link: what it answers becomes one. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
