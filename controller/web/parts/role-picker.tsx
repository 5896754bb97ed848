import { Checkbox, Stack } from '@mantine/core'
import type { CompanyRole, TeamRole } from '../../../shared/roles.ts'
import { roleHints, roleWords } from './role-words.ts'

interface RolePickerProps<R extends CompanyRole | TeamRole> {
  readonly label: string
  readonly roles: readonly R[]
  readonly value: readonly R[]
  readonly onChange: (roles: R[]) => void
  /** Whether this role may be given, or taken where it is held. Others are shown but cannot be changed. */
  readonly mayMove: (role: R) => boolean
  readonly error?: string | undefined
}

/** The roles that somebody shall have, each with what it is for. */
export function RolePicker<R extends CompanyRole | TeamRole>(props: RolePickerProps<R>) {
  const { label, roles, value, onChange, mayMove, error } = props
  return (
    <Checkbox.Group
      label={label}
      value={[...value]}
      onChange={(chosen) => onChange(roles.filter((role) => chosen.includes(role)))}
      error={error}
    >
      <Stack gap="xs" mt="xs" mb="xs">
        {roles.map((role) => (
          <Checkbox
            key={role}
            value={role}
            label={roleWords(role)}
            description={roleHints[role]}
            disabled={!mayMove(role)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
