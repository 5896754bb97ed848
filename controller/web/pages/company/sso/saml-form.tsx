import { Button, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Company } from '../../../../../shared/api/companies.ts'
import { setSamlProps, type SamlIdpMetadata } from '../../../../../shared/api/saml.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { fieldErrors, type FieldErrors } from '../../../parts/field-errors.ts'
import { useMe } from '../../../shell/me.tsx'
import { ImportMetadata } from './import-metadata.tsx'

interface SamlFormProps {
  readonly companyId: string
  readonly present: Company['samlIdpPrefs']
}

interface SamlValues {
  readonly entityId: string
  readonly idpUrl: string
  readonly certificate: string
  readonly enabled: boolean
  readonly forced: boolean
  readonly claimsForced: boolean
  readonly idpInitiated: boolean
}

const fields = ['entityId', 'idpUrl', 'certificate']

const nothing: SamlValues = {
  entityId: '',
  idpUrl: '',
  certificate: '',
  enabled: false,
  forced: false,
  claimsForced: false,
  idpInitiated: false,
}

function valuesOf(present: Company['samlIdpPrefs']): SamlValues {
  if (!present) return nothing
  const { url, cert, ...same } = present
  return { ...same, idpUrl: url, certificate: cert }
}

/** The provider itself, from its metadata or typed. */
export function SamlForm({ companyId, present }: SamlFormProps) {
  const { api, queryClient } = useApp()
  const { can } = useMe()
  const [values, setValues] = useState(valuesOf(present))
  const change = (part: Partial<SamlValues>) => setValues((now) => ({ ...now, ...part }))
  const work = useMutation({
    mutationFn: async () => {
      await api.call(setSamlProps, { params: { companyId }, body: values })
      await queryClient.invalidateQueries({ queryKey: ['company'] })
      notifications.show({ message: 'The identity provider is saved.' })
    },
  })
  const errors = fieldErrors(work.error, fields)
  if (!can('COMPANY_SECURITY_WRITE'))
    return (
      <Card title="The identity provider">
        <Text size="sm" className="temblor-given">
          {present ? `${present.entityId} at ${present.url}` : 'None is set.'}
        </Text>
        <Text size="sm">To change it takes the privilege COMPANY_SECURITY_WRITE.</Text>
      </Card>
    )
  const take = ({ entityId, idpUrl, certificate }: SamlIdpMetadata) =>
    change({ entityId, idpUrl, certificate })
  return (
    <Card
      title="The identity provider"
      intro={present ? undefined : 'None is set yet. Its metadata fill in the fields below.'}
    >
      <ImportMetadata companyId={companyId} onRead={take} />
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate()
        }}
      >
        <Stack gap="sm">
          <ProviderFields values={values} errors={errors} onChange={change} />
          <ProviderFlags values={values} onChange={change} />
          <ErrorText error={errors.rest} />
          <Group>
            <Button type="submit" size="xs" loading={work.isPending}>
              Save the provider
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

interface PartProps {
  readonly values: SamlValues
  readonly onChange: (part: Partial<SamlValues>) => void
}

function ProviderFields({ values, errors, onChange }: PartProps & { errors: FieldErrors }) {
  return (
    <>
      <TextInput
        label="Entity id of the provider"
        required
        maxLength={1024}
        value={values.entityId}
        error={errors.at('entityId')}
        onChange={(event) => onChange({ entityId: event.currentTarget.value })}
      />
      <TextInput
        label="Address where sign-ins begin"
        required
        maxLength={2048}
        value={values.idpUrl}
        error={errors.at('idpUrl')}
        onChange={(event) => onChange({ idpUrl: event.currentTarget.value })}
      />
      <Textarea
        label="Certificates"
        description="PEM, up to five, one after the other. Before the provider changes its own, add the next one; take the old one out afterwards."
        required
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={values.certificate}
        error={errors.at('certificate')}
        onChange={(event) => onChange({ certificate: event.currentTarget.value })}
      />
    </>
  )
}

function ProviderFlags({ values, onChange }: PartProps) {
  const flags = [
    ['enabled', 'People may sign in with it', 'Try it first, below.'],
    ['idpInitiated', 'Sign-ins may begin at the provider', 'From its list of applications.'],
    ['claimsForced', 'Without role claims nobody comes in', 'Else their roles stay as they are.'],
    ['forced', 'Nobody signs in otherwise', 'Passwords and other providers are off.'],
  ] as const
  return flags.map(([name, label, hint]) => (
    <Switch
      key={name}
      label={label}
      description={hint}
      checked={values[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
    />
  ))
}
