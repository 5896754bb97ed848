import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addTeamUsers, setTeamRoles } from '../../../../shared/api/users.ts'
import { teamEditNeeds } from '../../../../shared/role-rules.ts'
import { isTeamRole, teamRoles, type TeamRole } from '../../../../shared/roles.ts'
import { companyQuery } from '../../api/company.ts'
import { useApp } from '../../app-context.ts'
import { EmailList } from '../../parts/email-list.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { RolePicker } from '../../parts/role-picker.tsx'
import { roleWords } from '../../parts/role-words.ts'
import { useMe } from '../../shell/me.tsx'
import { usePlace } from '../../shell/use-place.ts'
import { refreshPeople } from './refresh-people.ts'
import type { TeamOf } from './team-of.ts'

interface AddMembersProps {
  readonly team: TeamOf
  /** Who could be added, as far as one may know. */
  readonly known: readonly string[]
  readonly onClose: () => void
}

const nobody = { roles: [], teams: {} }

/** Brings users of the company into a team. */
export function AddMembers({ team, known, onClose }: AddMembersProps) {
  const { api, queryClient } = useApp()
  const { holder } = usePlace(team.identifier)
  const company = useQuery(companyQuery(api, useMe().self.company_id))
  const usual = [company.data?.defaultTeamRole ?? 'TEAM_USER'].filter(isTeamRole)
  const [emails, setEmails] = useState<readonly string[]>([])
  const [chosen, setChosen] = useState<readonly TeamRole[]>()
  const roles = chosen ?? usual
  const add = async () => {
    const query = { teamId: team.identifier }
    try {
      await api.call(addTeamUsers, { query, body: emails.map((identifier) => ({ identifier })) })
      const isUsual = roles.length === usual.length && roles.every((role) => usual.includes(role))
      for (const email of isUsual ? [] : emails)
        await api.call(setTeamRoles, { params: { email }, query, body: { role: [...roles] } })
    } finally {
      await refreshPeople(queryClient)
    }
    return undefined
  }
  return (
    <FormDialog
      title={`Add people to ${team.name}`}
      action={`Add as ${roles.map(roleWords).join(', ').toLowerCase()}`}
      isDisabled={emails.length === 0 || roles.length === 0}
      fields={['identifier']}
      onClose={onClose}
      onSubmit={add}
    >
      {({ at }) => (
        <>
          <EmailList
            label="Email addresses"
            description="Users of the company. Who is none yet is invited first, under Company."
            value={emails}
            onChange={setEmails}
            known={known}
            error={at('identifier')}
          />
          <RolePicker
            label="As"
            roles={teamRoles}
            value={roles}
            onChange={setChosen}
            mayMove={(role) =>
              usual.includes(role) ||
              teamEditNeeds(holder, nobody, team.identifier, [role]) === undefined
            }
            error={roles.length === 0 ? 'At least one role.' : undefined}
          />
        </>
      )}
    </FormDialog>
  )
}
