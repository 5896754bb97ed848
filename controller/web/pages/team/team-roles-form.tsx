import { useState } from 'react'
import { setTeamRoles, type User } from '../../../../shared/api/users.ts'
import { teamEditNeeds } from '../../../../shared/role-rules.ts'
import { isTeamRole, teamRoles, type TeamRole } from '../../../../shared/roles.ts'
import { useApp } from '../../app-context.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { RolePicker } from '../../parts/role-picker.tsx'
import { holderOf, usePlace } from '../../shell/use-place.ts'
import { refreshPeople } from './refresh-people.ts'
import type { TeamOf } from './team-of.ts'

interface TeamRolesFormProps {
  readonly team: TeamOf
  readonly user: User
  readonly onClose: () => void
}

/** Other roles in a team for somebody who is in it. */
export function TeamRolesForm({ team, user, onClose }: TeamRolesFormProps) {
  const { api, queryClient } = useApp()
  const { holder } = usePlace(team.identifier)
  const subject = holderOf(user.roles, user)
  const present = (subject.teams[team.identifier] ?? []).filter(isTeamRole)
  const [roles, setRoles] = useState<TeamRole[]>([...present])
  const toggled = (role: TeamRole) =>
    present.includes(role) ? present.filter((one) => one !== role) : [...present, role]
  const save = async () => {
    await api.call(setTeamRoles, {
      params: { email: user.identifier },
      query: { teamId: team.identifier },
      body: { role: roles },
    })
    await refreshPeople(queryClient)
    return undefined
  }
  return (
    <FormDialog
      title={`Roles of ${user.identifier} in ${team.name}`}
      action="Save the roles"
      isDisabled={roles.length === 0}
      onClose={onClose}
      onSubmit={save}
    >
      {() => (
        <RolePicker
          label="Roles"
          roles={teamRoles}
          value={roles}
          onChange={setRoles}
          mayMove={(role) =>
            teamEditNeeds(holder, subject, team.identifier, toggled(role)) === undefined
          }
          error={roles.length === 0 ? 'At least one. To take them out, remove them.' : undefined}
        />
      )}
    </FormDialog>
  )
}
