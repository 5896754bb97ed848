import { Button, Group, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { setCompanyRoles, type User } from '../../../../../shared/api/users.ts'
import { companyEditNeeds } from '../../../../../shared/role-rules.ts'
import { companyRoles, isCompanyRole, type CompanyRole } from '../../../../../shared/roles.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { RolePicker } from '../../../parts/role-picker.tsx'
import { useMe } from '../../../shell/me.tsx'
import { holderOf, usePlace } from '../../../shell/use-place.ts'
import { refreshPeople } from '../../team/refresh-people.ts'

/** What somebody is in the company. */
export function CompanyRolesCard({ user }: { readonly user: User }) {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const { holder } = usePlace(undefined)
  const subject = holderOf(user.roles, user)
  const present = user.roles.filter(isCompanyRole)
  const [roles, setRoles] = useState<CompanyRole[]>(present)
  const work = useMutation({
    mutationFn: async () => {
      const params = { companyId: self.company_id, email: user.identifier }
      await api.call(setCompanyRoles, { params, body: { roles } })
      await refreshPeople(queryClient)
      notifications.show({ message: 'The roles are saved. They act from the next request on.' })
    },
  })
  const toggled = (role: CompanyRole) =>
    present.includes(role) ? present.filter((one) => one !== role) : [...present, role]
  const mayMove = (role: CompanyRole) =>
    companyEditNeeds(holder, subject, toggled(role)) === undefined
  const isSame = roles.length === present.length && roles.every((role) => present.includes(role))
  return (
    <Card title="Roles in the company">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate()
        }}
      >
        <Stack gap="sm">
          <RolePicker
            label="Roles"
            roles={companyRoles}
            value={roles}
            onChange={setRoles}
            mayMove={mayMove}
            error={roles.length === 0 ? 'At least one. To end the access, revoke it.' : undefined}
          />
          <ErrorText error={work.error} />
          <Group>
            <Button
              type="submit"
              size="xs"
              loading={work.isPending}
              disabled={isSame || roles.length === 0}
            >
              Save the roles
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
