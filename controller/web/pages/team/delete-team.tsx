import { Button, Group, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listCompanyClients } from '../../../../shared/api/companies.ts'
import { deleteTeam } from '../../../../shared/api/teams.ts'
import { useApp } from '../../app-context.ts'
import { Card } from '../../parts/card.tsx'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { countWords } from '../../parts/count-words.ts'
import { useMe } from '../../shell/me.tsx'
import { refreshTeams } from './refresh-teams.ts'
import type { TeamOf } from './team-of.ts'

interface DeleteTeamProps {
  readonly team: TeamOf
  readonly onDeleted: () => void
}

/** The end of a team, for who names it. */
export function DeleteTeam({ team, onDeleted }: DeleteTeamProps) {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const hosts = useQuery({
    queryKey: ['company-clients'],
    queryFn: ({ signal }) =>
      api.call(listCompanyClients, { params: { companyId: self.company_id }, signal }),
    enabled: isOpen,
  })
  const ofTeam = hosts.data?.filter(({ org_id }) => org_id === team.identifier)
  const reach = ofTeam ? countWords(ofTeam.length, 'host') : 'all hosts'
  return (
    <Card
      title="Delete the team"
      intro="Its attacks are halted, its hosts cut off and its sessions ended. The audit keeps what was done in it."
    >
      <Group>
        <Button
          size="xs"
          variant="default"
          c="var(--mantine-color-error)"
          onClick={() => setOpen(true)}
        >
          Delete …
        </Button>
      </Group>
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete ${team.name} with ${reach}?`}
        action="Delete the team"
        isDisabled={typed !== team.name}
        onConfirm={async () => {
          await api.call(deleteTeam, { params: { team: team.identifier } })
          await refreshTeams(queryClient)
          onDeleted()
        }}
      >
        <Text size="sm">
          {`This cannot be undone. ${reach} of the team will be cut off; each would have to join anew.`}
        </Text>
        <TextInput
          label="Type the name of the team"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </ConfirmDanger>
    </Card>
  )
}
