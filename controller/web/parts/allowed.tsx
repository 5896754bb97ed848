import { Code, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Privilege } from '../../../shared/roles.ts'
import { useMe } from '../shell/me.tsx'
import { EmptyState } from './empty-state.tsx'

interface AllowedProps {
  readonly privilege: Privilege
  readonly children: ReactNode
}

/** What takes a privilege; who has it not reads which one. The server decides all the same. */
export function Allowed({ privilege, children }: AllowedProps) {
  const { can } = useMe()
  if (can(privilege)) return <>{children}</>
  return <NotAllowed privilege={privilege} />
}

/** In place of what somebody may not see or do. */
export function NotAllowed({ privilege }: { readonly privilege: Privilege }) {
  return (
    <EmptyState title="Not allowed">
      <Text>
        This takes the privilege <Code>{privilege}</Code>, which none of your roles gives. Ask a
        manager or an owner of your company for a role that has it.
      </Text>
    </EmptyState>
  )
}
