import { Button, Group, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { setCompanyDomain } from '../../../../../shared/api/companies.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { fieldErrors } from '../../../parts/field-errors.ts'
import { formText } from '../../../parts/form-text.ts'
import { useMe } from '../../../shell/me.tsx'

interface DomainsCardProps {
  readonly companyId: string
  readonly present: readonly string[]
}

/** The domains of email addresses whose people may join by themselves. */
export function DomainsCard({ companyId, present }: DomainsCardProps) {
  const { api, queryClient } = useApp()
  const { can } = useMe()
  const work = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const body = { domain: formText(form, 'domain') }
      await api.call(setCompanyDomain, { params: { companyId }, body })
      await queryClient.invalidateQueries({ queryKey: ['company'] })
      notifications.show({ message: 'The domains are saved.' })
    },
  })
  const errors = fieldErrors(work.error, ['domain'])
  return (
    <Card
      title="Domains of the company"
      intro="Whoever signs in at the public provider with an address of one of them becomes a user of the company, without an invitation and with the default roles."
    >
      {can('COMPANY_SECURITY_WRITE') ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            work.mutate(event.currentTarget)
          }}
        >
          <TextInput
            name="domain"
            label="Domains"
            description="Such as example.org, several with commas in between. Empty: nobody joins without an invitation."
            maxLength={4096}
            autoComplete="off"
            defaultValue={present.join(', ')}
            error={errors.at('domain')}
          />
          <ErrorText error={errors.rest} />
          <Group mt="sm">
            <Button type="submit" size="xs" loading={work.isPending}>
              Save the domains
            </Button>
          </Group>
        </form>
      ) : (
        <Text size="sm" className="temblor-given">
          {present.join(', ') || 'None.'}
        </Text>
      )}
    </Card>
  )
}
