import { MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  createSamlAlias,
  updateSamlAlias,
  type SamlAlias,
} from '../../../../../shared/api/saml-aliases.ts'
import { companyEditNeeds } from '../../../../../shared/role-rules.ts'
import {
  companyRoles,
  isCompanyRole,
  teamRoles,
  type CompanyRole,
  type TeamRole,
} from '../../../../../shared/roles.ts'
import { teamsQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { RolePicker } from '../../../parts/role-picker.tsx'
import { roleWords } from '../../../parts/role-words.ts'
import { useMe } from '../../../shell/me.tsx'
import { usePlace } from '../../../shell/use-place.ts'

interface AliasDialogProps {
  /** The one to change; without it another is made. */
  readonly present?: SamlAlias | undefined
  readonly onClose: () => void
}

type Roles = Readonly<Record<string, readonly TeamRole[]>>

/** What a value of a claim stands for. */
export function AliasDialog({ present, onClose }: AliasDialogProps) {
  const write = useWrite(present)
  const { holder } = usePlace(undefined)
  const [name, setName] = useState(present?.aliasId ?? '')
  const before = (present?.companyRoles ?? []).filter(isCompanyRole)
  const [inCompany, setInCompany] = useState<readonly CompanyRole[]>(before)
  const [inTeams, setInTeams] = useState<Roles>((present?.teamRoles ?? {}) as Roles)
  const subject = { roles: before, teams: (present?.teamRoles ?? {}) as Record<string, TeamRole[]> }
  const toggled = (role: CompanyRole) =>
    before.includes(role) ? before.filter((one) => one !== role) : [...before, role]
  const save = async () => {
    await write(name, inCompany, inTeams)
    return undefined
  }
  return (
    <FormDialog
      title={present ? `Change the alias ${present.aliasId.slice(0, 100)}` : 'New alias'}
      action={present ? 'Save the alias' : 'Make the alias'}
      fields={['aliasId']}
      onClose={onClose}
      onSubmit={save}
    >
      {({ at }) => (
        <>
          {!present && (
            <TextInput
              label="Value of the claim"
              description="Exactly as the provider sends it in company:roles."
              required
              maxLength={200}
              data-autofocus
              value={name}
              error={at('aliasId')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          <RolePicker
            label="Roles in the company"
            roles={companyRoles}
            value={inCompany}
            onChange={setInCompany}
            mayMove={(role) => companyEditNeeds(holder, subject, toggled(role)) === undefined}
          />
          <TeamRoles value={inTeams} onChange={setInTeams} />
        </>
      )}
    </FormDialog>
  )
}

/** Makes or changes it. */
function useWrite(present: SamlAlias | undefined) {
  const { api, queryClient } = useApp()
  const params = { companyId: useMe().self.company_id }
  return async (aliasId: string, inCompany: readonly CompanyRole[], inTeams: Roles) => {
    const chosen = Object.entries(inTeams).filter(([, roles]) => roles.length > 0)
    const body = {
      companyRoles: [...inCompany],
      teamRoles: Object.fromEntries(chosen.map(([id, ones]) => [id, [...ones]])),
    }
    if (present)
      await api.call(updateSamlAlias, { params: { ...params, aliasId: present.aliasId }, body })
    else await api.call(createSamlAlias, { params, body: { aliasId, ...body } })
    await queryClient.invalidateQueries({ queryKey: ['aliases'] })
    await queryClient.invalidateQueries({ queryKey: ['alias'] })
  }
}

interface TeamRolesProps {
  readonly value: Roles
  readonly onChange: (value: Roles) => void
}

function TeamRoles({ value, onChange }: TeamRolesProps) {
  const { api } = useApp()
  const { data: teams = [] } = useQuery(teamsQuery(api))
  const nameOf = (id: string) =>
    teams.find(({ identifier }) => identifier === id)?.name ?? 'A team that is gone'
  return (
    <Stack gap="xs">
      {Object.entries(value).map(([id, roles]) => (
        <MultiSelect
          key={id}
          label={`Roles in ${nameOf(id)}`}
          data={teamRoles.map((role) => ({ value: role, label: roleWords(role) }))}
          value={[...roles]}
          onChange={(chosen) =>
            onChange({ ...value, [id]: teamRoles.filter((role) => chosen.includes(role)) })
          }
        />
      ))}
      <NativeSelect
        label="Roles in one more team"
        value=""
        onChange={({ currentTarget }) =>
          onChange({ ...value, [currentTarget.value]: ['TEAM_USER'] })
        }
        data={[
          { value: '', label: 'Choose a team' },
          ...teams
            .filter(({ identifier }) => !(identifier in value))
            .map(({ identifier, name }) => ({ value: identifier, label: name })),
        ]}
      />
    </Stack>
  )
}
