import { Stack, Text } from '@mantine/core'
import { CopyLine } from '../../parts/copy-line.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { TeamPage } from '../../shell/me.tsx'

/** How an attack is made. */
export function NewAttackPage() {
  return (
    <>
      <PageTitle title="New attack" />
      <TeamPage>
        {() => (
          <EmptyState title="Attacks are made on the command line">
            <Stack gap="sm" w="100%">
              <Text>Half of one core of any host of the team, for a minute:</Text>
              <CopyLine label="CPU attack" text="temblor attack run cpu --length 60 --percent 50" />
              <Text>What there is, and every option of it:</Text>
              <CopyLine label="Attack types" text="temblor attack types" />
            </Stack>
          </EmptyState>
        )}
      </TeamPage>
    </>
  )
}
