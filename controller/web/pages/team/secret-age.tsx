import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readTeam } from '../../../../shared/api/teams.ts'
import { useApp } from '../../app-context.ts'
import { RelativeTime } from '../../parts/relative-time.tsx'

/** Since when the secret of a team is the present one, and by whom. */
export function SecretAge({ teamId }: { readonly teamId: string }) {
  const { api } = useApp()
  const { data } = useQuery({
    queryKey: ['team', teamId],
    queryFn: ({ signal }) => api.call(readTeam, { params: { team: teamId }, signal }),
  })
  if (!data) return null
  return (
    <Text size="sm" className="temblor-given">
      Set <RelativeTime at={data.secretSetAt} />
      {data.secretSetBy === null ? ', with the team.' : ` by ${data.secretSetBy}.`}
    </Text>
  )
}
