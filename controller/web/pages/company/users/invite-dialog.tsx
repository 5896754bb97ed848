import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  inviteToCompany,
  inviteToTeam,
  type Invitation,
} from '../../../../../shared/api/invitations.ts'
import { companyQuery, teamsQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { EmailList } from '../../../parts/email-list.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { formText } from '../../../parts/form-text.ts'
import { roleWords } from '../../../parts/role-words.ts'
import { useMe } from '../../../shell/me.tsx'
import { refreshPeople } from '../../team/refresh-people.ts'
import { InvitationLink } from './invitation-link.tsx'

/** Invites people, and shows the links where they are not mailed. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const [emails, setEmails] = useState<readonly string[]>([])
  const [made, setMade] = useState<readonly Invitation[]>([])
  const [isDone, setDone] = useState(false)
  if (isDone) return <Invited invitations={made} onClose={onClose} />
  const invite = async (form: HTMLFormElement) => {
    const teamId = formText(form, 'team')
    try {
      if (teamId === '') {
        const body = emails.map((identifier) => ({ identifier }))
        const params = { companyId: self.company_id }
        setMade(await api.call(inviteToCompany, { params, body }))
      } else
        // One by one: those that were invited before one is refused are off the list.
        for (const email of emails) {
          const one = await api.call(inviteToTeam, { query: { teamId }, body: { email } })
          setMade((all) => [...all, one])
          setEmails((all) => all.filter((other) => other !== email))
        }
    } finally {
      await refreshPeople(queryClient)
    }
    setDone(true)
    return 'stay' as const
  }
  return (
    <FormDialog
      title={`Invite people to ${self.company_name}`}
      action="Invite"
      isDisabled={emails.length === 0}
      fields={['email', 'identifier']}
      onClose={onClose}
      onSubmit={invite}
    >
      {({ at }) => (
        <>
          <EmailList
            label="Email addresses"
            description="One or many, up to a hundred."
            value={emails}
            onChange={setEmails}
            error={at('email') ?? at('identifier')}
          />
          <Place />
          {made.map((one) => (
            <InvitationLink key={one.identifier} invitation={one} />
          ))}
        </>
      )}
    </FormDialog>
  )
}

/** As what they join: that is a rule of the company, the team is chosen. */
function Place() {
  const { api } = useApp()
  const company = useQuery(companyQuery(api, useMe().self.company_id))
  const teams = useQuery(teamsQuery(api))
  const { defaultCompanyRole = 'COMPANY_USER', defaultTeamRole = 'TEAM_USER' } = company.data ?? {}
  return (
    <>
      <NativeSelect
        label="Team"
        name="team"
        data={[
          { value: '', label: 'None yet' },
          ...(teams.data ?? []).map(({ identifier, name }) => ({ value: identifier, label: name })),
        ]}
      />
      <Text size="sm" c="dimmed">
        {`They join with the default roles: ${roleWords(defaultCompanyRole)} in the company, ${roleWords(defaultTeamRole)} in a team. ` +
          'Other roles, and more teams, are given once they have joined.'}
      </Text>
    </>
  )
}

interface InvitedProps {
  readonly invitations: readonly Invitation[]
  readonly onClose: () => void
}

function Invited({ invitations, onClose }: InvitedProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title="Invited"
      size="lg"
      centered
      // Links are shown once: not closed by a slip of the hand.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        {invitations.map((one) => (
          <InvitationLink key={one.identifier} invitation={one} />
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
