import { Code, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { SignInFailure } from '../../../../../shared/api/sign-in-failures.ts'
import { failuresQuery } from '../../../api/sso.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { RelativeTime } from '../../../parts/relative-time.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { WideTable } from '../../../parts/wide-table.tsx'

const page = getRouteApi('/shell/company/sign-ins')

/** Sign-ins with a provider that were refused, and why. */
export function FailuresPage() {
  const { api } = useApp()
  const navigate = useNavigate({ from: '/company/sign-ins' })
  const { email } = page.useSearch()
  const failures = useQuery(failuresQuery(api, email))
  const filter = (value: string) =>
    void navigate({ search: (now) => ({ ...now, email: value || undefined }), replace: true })
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="Refused sign-ins" />
      <Allowed privilege="COMPANY_SECURITY_READ">
        <Group role="search" aria-label="Filter the sign-ins">
          <TextInput
            label="Email address"
            size="xs"
            type="search"
            defaultValue={email ?? ''}
            onBlur={(event) => filter(event.currentTarget.value.trim())}
            onKeyDown={(event) => {
              if (event.key === 'Enter') filter(event.currentTarget.value.trim())
            }}
          />
        </Group>
        <Asked query={failures} what="refused sign-ins">
          {(all) => <FailureTable failures={all} />}
        </Asked>
      </Allowed>
    </Stack>
  )
}

function FailureTable({ failures }: { readonly failures: readonly SignInFailure[] }) {
  if (failures.length === 0)
    return (
      <EmptyState title="No sign-in was refused">
        When a sign-in with SAML, OAuth or the public provider fails, it is listed here: which check
        failed, what came and what was expected. Sign-ins with a password are in the audit.
      </EmptyState>
    )
  return (
    <WideTable label="Refused sign-ins" minWidth={760}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>When</Table.Th>
          <Table.Th>By</Table.Th>
          <Table.Th>Check</Table.Th>
          <Table.Th>What came, what was expected</Table.Th>
          <Table.Th>Who</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {failures.map((one) => (
          <Table.Tr key={`${one.request_id} ${one.time}`}>
            <Table.Td>
              <RelativeTime at={one.time} />
            </Table.Td>
            <Table.Td>{one.method}</Table.Td>
            <Table.Td>
              <Code>{one.check}</Code>
            </Table.Td>
            <Table.Td className="temblor-given">
              {one.reason}
              <Text size="xs" c="dimmed">
                {`From ${one.from}${one.issuer === null ? '' : `, issuer ${one.issuer}`}`}
              </Text>
            </Table.Td>
            <Table.Td className="temblor-given">{one.email ?? 'unknown'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}
