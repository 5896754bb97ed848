import { useMe } from '../shell/me.tsx'
import { LinkButton } from './link-button.tsx'

/** Opens the form filled with what an attack had been asked for. Nothing without the right to attack. */
export function RunAgain({ id, isSmall }: { readonly id: string; readonly isSmall?: boolean }) {
  const { can } = useMe()
  if (!can('EXPERIMENTS_RUN')) return null
  return (
    <LinkButton
      to="/attacks/new"
      search={({ team }) => ({ team, from: id })}
      variant="default"
      size={isSmall ? 'compact-xs' : 'xs'}
    >
      Run again
    </LinkButton>
  )
}
