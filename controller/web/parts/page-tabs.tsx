import { Title } from '@mantine/core'
import { Link, useLocation, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

interface PageTabsProps {
  /** The heading of all of these pages. */
  readonly title: string
  readonly tabs: readonly (readonly [to: NonNullable<LinkProps['to']>, label: string])[]
}

/** A page of several parts, each with its own address. */
export function PageTabs({ title, tabs }: PageTabsProps) {
  const row = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    // Where the row is narrow, the part that is shown may be beyond its edge.
    const links = [...(row.current?.querySelectorAll('a') ?? [])]
    const here = links.find((link) => pathname.startsWith(new URL(link.href).pathname))
    here?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <>
      <Title order={1} mb="xs">
        {title}
      </Title>
      <nav ref={row} aria-label={`Parts of ${title}`} className="temblor-tabs">
        {tabs.map(([to, label]) => (
          <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
            {label}
          </Link>
        ))}
      </nav>
    </>
  )
}
