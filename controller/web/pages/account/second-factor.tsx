import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { mfaQuery } from '../../api/account.ts'
import { useApp } from '../../app-context.ts'
import { Card } from '../../parts/card.tsx'
import { countWords } from '../../parts/count-words.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Loading } from '../../parts/loading.tsx'
import { SectionTitle } from '../../parts/section-title.tsx'
import { EnrolFactor } from './enrol-factor.tsx'
import { SwitchFactorOff } from './switch-factor-off.tsx'

/** The own second factor: whether it is on, and how that changes. */
export function SecondFactorPage() {
  const { api } = useApp()
  const { data, error, isPending, refetch } = useQuery(mfaQuery(api))
  return (
    <Stack gap="md">
      <SectionTitle of="Account" title="Second factor" />
      {isPending && <Loading what="the second factor" />}
      <ErrorText error={error} retry={() => void refetch()} />
      {data && (
        <Facts
          facts={[
            ['State', data.enabled === 'true' ? 'On: codes of an authenticator' : 'Off'],
            ['Your company', data.required ? 'Requires a second factor' : 'Leaves it to you'],
            ...(data.enabled === 'true'
              ? [['Left over', countWords(data.recovery_codes_left, 'recovery code')] as const]
              : []),
          ]}
        />
      )}
      {data?.enabled === 'true' && <SwitchFactorOff isRequired={data.required} />}
      {data?.enabled === 'false' && <EnrolFactor />}
      <Card title="What it is for">
        <Text size="sm">
          With a second factor a password alone opens nothing: each sign-in with it also asks for a
          code of your authenticator. Sign-ins with a provider (SAML, OAuth) are not asked for one
          here; the provider decides about that. API keys are never asked.
        </Text>
      </Card>
    </Stack>
  )
}
