import '@mantine/notifications/styles.css'
import { AppShell, Burger, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { LinkText } from '../parts/link-button.tsx'
import { BlockNotice } from './block-notice.tsx'
import { HaltAll } from './halt-all.tsx'
import { useMe } from './me.tsx'
import { Navigation } from './navigation.tsx'
import { SignOut } from './sign-out.tsx'
import { TeamSwitcher } from './team-switcher.tsx'
import { useLiveAttacks } from './use-live-attacks.ts'

/** The frame of all pages behind the sign-in. */
export function Shell() {
  const [isMenuOpen, menu] = useDisclosure(false)
  const { team } = useMe()
  const live = useLiveAttacks(team?.identifier)
  const page = useFocusedPage()
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 190, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding="md"
    >
      <Notifications position="bottom-right" />
      <a className="temblor-skip" href="#page">
        To the page
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              opened={isMenuOpen}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
            />
            <LinkText to="/" fw={700} c="inherit" underline="never" visibleFrom="xs">
              Temblor
            </LinkText>
            <Where />
          </Group>
          <Group gap="xs" wrap="nowrap">
            {live === 'lost' && (
              <Text size="xs" role="status">
                Not live: connecting again …
              </Text>
            )}
            <HaltAll />
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <Navigation onGo={menu.close} />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} ref={page}>
        <BlockNotice />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

/** The company, and the team that is looked at. */
function Where() {
  const { self, teams, team } = useMe()
  if (teams.length > 1) return <TeamSwitcher />
  return (
    <Text size="sm" c="dimmed" className="temblor-clipped" maw="14rem">
      {team ? `${self.company_name} / ${team.name}` : self.company_name}
    </Text>
  )
}

/** Whoever goes to another page by keyboard or screen reader is on it, not on the link that led there. */
function useFocusedPage() {
  const page = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    page.current?.focus({ preventScroll: true })
  }, [pathname])
  return page
}
