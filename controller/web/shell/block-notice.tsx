import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { unblockAttacks } from '../../../shared/api/attack-block.ts'
import { attackBlockQuery } from '../api/attack-block.ts'
import { useApp } from '../app-context.ts'
import { ErrorText } from '../parts/error-text.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { useMe } from './me.tsx'

/** On every page for as long as new attacks are blocked: by whom, why, and the way to lift it. */
export function BlockNotice() {
  const { api } = useApp()
  const { can, self } = useMe()
  const cache = useQueryClient()
  const query = attackBlockQuery(api)
  const { data: block } = useQuery({
    ...query,
    enabled: can('EXPERIMENTS_READ') || can('HALT_ALL'),
  })
  const lift = useMutation({
    mutationFn: () => api.call(unblockAttacks, {}),
    onSuccess: (now) => cache.setQueryData(query.queryKey, now),
  })
  if (!block?.blocked) return null
  return (
    <Alert color="red" variant="outline" mb="md" role="status">
      <Text fw={700} className="temblor-given">
        {`New attacks are blocked in ${self.company_name}`}
      </Text>
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="temblor-given">
          {`By ${block.by ?? 'somebody'}, `}
          {block.since && <RelativeTime at={block.since} />}
          {block.reason && `: ${block.reason}`}
        </Text>
        {can('HALT_ALL') && (
          <Button
            size="xs"
            variant="default"
            loading={lift.isPending}
            onClick={() => lift.mutate()}
          >
            Allow attacks again
          </Button>
        )}
      </Group>
      <ErrorText error={lift.error} />
    </Alert>
  )
}
