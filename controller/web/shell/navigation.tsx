import { NavLink, Stack } from '@mantine/core'
import { createLink, useLocation } from '@tanstack/react-router'
import { ColourScheme } from './colour-scheme.tsx'

const PageLink = createLink(NavLink<'a'>)

const pages = [
  ['/attacks', 'Attacks'],
  ['/attacks/new', 'New attack'],
  ['/clients', 'Clients'],
  ['/team', 'Team'],
  ['/company', 'Company'],
  ['/account', 'Account'],
] as const

/** All pages; `onGo` closes it where it covers the page. */
export function Navigation({ onGo }: { readonly onGo: () => void }) {
  const { pathname } = useLocation()
  const here = pages.findLast(([to]) => pathname === to || pathname.startsWith(`${to}/`))
  const current = pathname.startsWith('/attacks/new') ? '/attacks/new' : here?.[0]
  return (
    <Stack justify="space-between" h="100%">
      <nav aria-label="Pages">
        {pages.map(([to, label]) => (
          <PageLink
            key={to}
            to={to}
            label={label}
            active={to === current}
            aria-current={to === current ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: false }}
            onClick={onGo}
          />
        ))}
      </nav>
      <ColourScheme />
    </Stack>
  )
}
