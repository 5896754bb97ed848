import { Button, Group, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { updateSelf } from '../../../../shared/api/self.ts'
import { useApp } from '../../app-context.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { Facts } from '../../parts/facts.tsx'
import { fieldErrors } from '../../parts/field-errors.ts'
import { formText } from '../../parts/form-text.ts'
import { rolesWords } from '../../parts/role-words.ts'
import { SectionTitle } from '../../parts/section-title.tsx'
import { useMe } from '../../shell/me.tsx'
import { PasswordCard } from './password-card.tsx'

/** Who somebody is here, what they are called, and the password. */
export function ProfilePage() {
  const { self, teams } = useMe()
  return (
    <Stack gap="md">
      <SectionTitle of="Account" title="Profile" />
      <Facts
        facts={[
          ['Email address', self.identifier],
          ['User id', self.user_id],
          ['Company', self.company_name],
          ['Company roles', rolesWords(self.company_roles)],
          ...teams.map(({ name, roles }) => [`Team ${name}`, rolesWords(roles)] as const),
        ]}
      />
      <NameCard />
      <PasswordCard />
    </Stack>
  )
}

const names = ['first_name', 'last_name'] as const

function NameCard() {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const work = useMutation({
    mutationFn: async (body: { first_name: string; last_name: string }) => {
      await api.call(updateSelf, { body })
      await queryClient.invalidateQueries({ queryKey: ['self'] })
      notifications.show({ message: 'Your name is saved.' })
    },
  })
  const errors = fieldErrors(work.error, names)
  return (
    <Card title="Name" intro="Shown in lists of people. Leave it empty to be shown by address.">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          const [first_name, last_name] = names.map((name) => formText(form, name).trim())
          work.mutate({ first_name: first_name ?? '', last_name: last_name ?? '' })
        }}
      >
        <Stack gap="sm" maw={480}>
          <Group grow align="flex-start">
            <TextInput
              label="First name"
              name="first_name"
              autoComplete="given-name"
              maxLength={100}
              defaultValue={self.first_name ?? ''}
              error={errors.at('first_name')}
            />
            <TextInput
              label="Last name"
              name="last_name"
              autoComplete="family-name"
              maxLength={100}
              defaultValue={self.last_name ?? ''}
              error={errors.at('last_name')}
            />
          </Group>
          <ErrorText error={errors.rest} />
          <Group>
            <Button type="submit" size="xs" variant="default" loading={work.isPending}>
              Save the name
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
