import {
  Button,
  Group,
  PasswordInput,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { Company } from '../../../../../shared/api/companies.ts'
import { setOAuthSettings } from '../../../../../shared/api/oauth.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { fieldErrors, type FieldErrors } from '../../../parts/field-errors.ts'
import { formText } from '../../../parts/form-text.ts'
import { useMe } from '../../../shell/me.tsx'

interface OAuthFormProps {
  readonly companyId: string
  readonly present: Company['oauthSettings']
}

const texts = [
  ['issuer', 'Issuer', 'Of a provider of OpenID Connect; then the three addresses may stay empty.'],
  ['authorizationUri', 'Authorization address', 'Where sign-ins begin.'],
  ['tokenUri', 'Token address', 'Where codes are exchanged.'],
  ['userInfoUri', 'User info address', 'Who is asked whose token it is.'],
  ['clientId', 'Client id', 'Of this service at the provider.'],
  ['scope', 'Scope', 'Empty: email, and openid where there is an issuer.'],
] as const

const fields = [...texts.map(([name]) => name), 'clientSecret', 'redirectUris']

/** The provider itself. */
export function OAuthForm({ companyId, present }: OAuthFormProps) {
  const { api, queryClient } = useApp()
  const { can } = useMe()
  const work = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const given = Object.fromEntries(
        texts.map(([name]) => [name, formText(form, name).trim() || null]),
      )
      const body = {
        ...given,
        clientId: formText(form, 'clientId').trim(),
        clientSecret: formText(form, 'clientSecret'),
        enabled: formText(form, 'enabled') === 'on',
        redirectUris: formText(form, 'redirectUris').split(/\s+/).filter(Boolean),
        acceptsForeignTokens: formText(form, 'acceptsForeignTokens') === 'on',
      }
      await api.call(setOAuthSettings, { params: { companyId }, body })
      await queryClient.invalidateQueries({ queryKey: ['company'] })
      notifications.show({ message: 'The provider is saved.' })
    },
  })
  const errors = fieldErrors(work.error, fields)
  if (!can('COMPANY_SECURITY_WRITE'))
    return (
      <Card title="The provider">
        <Text size="sm" className="temblor-given">
          {present ? (present.issuer ?? present.authorizationUri) : 'None is set.'}
        </Text>
        <Text size="sm">To change it takes the privilege COMPANY_SECURITY_WRITE.</Text>
      </Card>
    )
  return (
    <Card title="The provider" intro={present ? undefined : 'None is set yet.'}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate(event.currentTarget)
        }}
      >
        <Stack gap="sm">
          <ProviderFields present={present} errors={errors} />
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

interface ProviderFieldsProps {
  readonly present: Company['oauthSettings']
  readonly errors: FieldErrors
}

function ProviderFields({ present, errors }: ProviderFieldsProps) {
  return (
    <>
      {texts.map(([name, label, description]) => (
        <TextInput
          key={name}
          name={name}
          label={label}
          description={description}
          required={name === 'clientId'}
          maxLength={2048}
          defaultValue={present?.[name] ?? ''}
          error={errors.at(name)}
        />
      ))}
      <PasswordInput
        name="clientSecret"
        label="Client secret"
        description="Kept sealed and told to nobody: give it with each change."
        required
        maxLength={4096}
        autoComplete="off"
        error={errors.at('clientSecret')}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the client secret' }}
      />
      <Textarea
        name="redirectUris"
        label="Further redirect addresses"
        description="Of other applications that browsers may be sent to with a code: each on a line. This service itself is always one."
        autosize
        minRows={1}
        maxRows={8}
        spellCheck={false}
        defaultValue={present?.redirectUris.join('\n') ?? ''}
        error={errors.at('redirectUris')}
      />
      <Switch
        name="acceptsForeignTokens"
        label="Access tokens of other applications count"
        description="Whoever holds one that the provider gave to anybody, for whatever purpose, can sign in with it. Off unless you know why."
        defaultChecked={present?.acceptsForeignTokens ?? false}
      />
      <Switch
        name="enabled"
        label="People may sign in with it"
        description="Try it first, below."
        defaultChecked={present?.enabled ?? false}
      />
    </>
  )
}
