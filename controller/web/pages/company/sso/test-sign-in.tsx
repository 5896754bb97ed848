import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { startSsoTest, type SsoTest } from '../../../../../shared/api/sso.ts'
import { ssoTestQuery } from '../../../api/sso.ts'
import { useApp } from '../../../app-context.ts'
import { Asked } from '../../../parts/asked.tsx'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { useMe } from '../../../shell/me.tsx'
import { TestResult } from './test-result.tsx'

interface TestSignInProps {
  readonly protocol: SsoTest['protocol']
  readonly title?: string
  readonly isSet: boolean
  /** The test that the browser comes back from. */
  readonly testId: string | undefined
}

/** Where each is set, and the browser comes back to. */
const pages = { saml: 'saml', oauth: 'oauth', google: 'security' } as const

/** A sign-in that changes nothing, and what became of it. */
export function TestSignIn({ protocol, title = 'Try it', isSet, testId }: TestSignInProps) {
  const { api } = useApp()
  const { self, can } = useMe()
  const begin = useMutation({
    mutationFn: async () => {
      const params = { companyId: self.company_id }
      const destination = `/company/${pages[protocol]}`
      const { url } = await api.call(startSsoTest, { params, body: { protocol, destination } })
      location.assign(url)
    },
  })
  return (
    <Card
      title={title}
      intro="Signs you in at the provider and comes back here. Nobody gets a session by it, nobody becomes a user, no role changes; it works while the method is still off."
    >
      {can('COMPANY_SECURITY_WRITE') ? (
        <Group>
          <Button
            size="xs"
            variant="default"
            disabled={!isSet}
            loading={begin.isPending}
            onClick={() => begin.mutate()}
          >
            Begin a test sign-in
          </Button>
        </Group>
      ) : (
        <Text size="sm">To begin one takes the privilege COMPANY_SECURITY_WRITE.</Text>
      )}
      <ErrorText error={begin.error} />
      {testId !== undefined && <Outcome testId={testId} />}
    </Card>
  )
}

function Outcome({ testId }: { readonly testId: string }) {
  const { api } = useApp()
  const { self } = useMe()
  const test = useQuery(ssoTestQuery(api, self.company_id, testId))
  return (
    <Asked query={test} what="the test">
      {(one) => <TestResult test={one} />}
    </Asked>
  )
}
