import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { updateCompany, type Company } from '../../../../../shared/api/companies.ts'
import { isPromotion } from '../../../../../shared/role-rules.ts'
import { companyRoles, isCompanyRole, isTeamRole, teamRoles } from '../../../../../shared/roles.ts'
import { companyQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { Facts } from '../../../parts/facts.tsx'
import { formText } from '../../../parts/form-text.ts'
import { roleWords } from '../../../parts/role-words.ts'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { exactWords } from '../../../parts/time-words.ts'
import { useMe } from '../../../shell/me.tsx'

/** What the company is called, and what newcomers are. */
export function CompanySettingsPage() {
  const { api } = useApp()
  const company = useQuery(companyQuery(api, useMe().self.company_id))
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="Settings" />
      <Asked query={company} what="the company">
        {(one) => (
          <>
            <Facts
              facts={[
                ['Name', one.name],
                ['Id', one.identifier],
                ['Made', exactWords(one.createdAt)],
              ]}
            />
            <Allowed privilege="COMPANY_PREFERENCES_WRITE">
              <DefaultRoles company={one} />
            </Allowed>
          </>
        )}
      </Asked>
    </Stack>
  )
}

const choices = (roles: readonly (typeof companyRoles | typeof teamRoles)[number][]) =>
  roles
    .filter((role) => !isPromotion(role))
    .map((role) => ({ value: role, label: roleWords(role) }))

function DefaultRoles({ company }: { readonly company: Company }) {
  const { api, queryClient } = useApp()
  const work = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const [inCompany, inTeam] = [formText(form, 'company'), formText(form, 'team')]
      await api.call(updateCompany, {
        params: { companyId: company.identifier },
        body: {
          ...(isCompanyRole(inCompany) ? { defaultCompanyRole: inCompany } : {}),
          ...(isTeamRole(inTeam) ? { defaultTeamRole: inTeam } : {}),
        } as object,
      })
      await queryClient.invalidateQueries({ queryKey: ['company'] })
      notifications.show({ message: 'The default roles are saved.' })
    },
  })
  return (
    <Card
      title="Default roles"
      intro="What people are when they are invited or added to a team. Roles that take a promotion are given by hand only."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate(event.currentTarget)
        }}
      >
        <Stack gap="sm" maw={480}>
          <NativeSelect
            label="In the company"
            name="company"
            data={choices(companyRoles)}
            defaultValue={company.defaultCompanyRole}
          />
          <NativeSelect
            label="In a team"
            name="team"
            data={choices(teamRoles)}
            defaultValue={company.defaultTeamRole}
          />
          <ErrorText error={work.error} />
          <Group>
            <Button type="submit" size="xs" variant="default" loading={work.isPending}>
              Save the default roles
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
