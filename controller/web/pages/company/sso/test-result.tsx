import { Code, List, Stack, Text } from '@mantine/core'
import type { SsoTest } from '../../../../../shared/api/sso.ts'
import { rolesWords } from '../../../parts/role-words.ts'
import { StateBadge } from '../../../parts/state-badge.tsx'

const states = {
  WAITING: ['waiting', 'No answer of the provider yet'],
  PASSED: ['good', 'Passed: this sign-in would have worked'],
  REFUSED: ['bad', 'Refused'],
} as const

type Place = NonNullable<SsoTest['outcome']>['after']

/** What came from the provider, which check failed, and what a sign-in would have done. */
export function TestResult({ test }: { readonly test: SsoTest }) {
  const [tone, words] = states[test.state]
  const { came, outcome } = test
  return (
    <Stack gap="xs" role="status">
      <StateBadge tone={tone}>{words}</StateBadge>
      {test.reason !== null && (
        <Text size="sm" className="temblor-given">
          <Code>{test.check}</Code> {test.reason}
        </Text>
      )}
      {came && (
        <>
          <Text size="sm" className="temblor-given">
            {`Came: ${came.email ?? 'no address'}, from ${came.issuer ?? 'nobody'}` +
              (came.isProven ? '.' : '; not proven by a signature.')}
          </Text>
          <List size="sm">
            {came.claims.map(({ name, values }) => (
              <List.Item key={name} className="temblor-given">
                {`${name}: ${values.join(', ')}`}
              </List.Item>
            ))}
          </List>
        </>
      )}
      {outcome && (
        <Text size="sm" className="temblor-given">
          {outcome.isNewMember ? 'Would become a user: ' : 'Would be afterwards: '}
          {placeWords(outcome.after)}
          {outcome.before && ` Now: ${placeWords(outcome.before)}`}
        </Text>
      )}
    </Stack>
  )
}

function placeWords({ roles, teams }: Place): string {
  const inTeams = teams.map((team) => `${rolesWords(team.roles)} in ${team.name}`)
  return `${[`${rolesWords(roles)} in the company`, ...inTeams].join('; ')}.`
}
