import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Client } from '../../../../shared/api/clients.ts'
import { activeAttacksQuery } from '../../api/attacks.ts'
import { clientsQuery } from '../../api/clients.ts'
import { useApp } from '../../app-context.ts'
import { limitSentences } from '../../parts/abilities.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { LinkButton, LinkText } from '../../parts/link-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { StageBadge } from '../../parts/stage-badge.tsx'
import { TeamPage, useMe } from '../../shell/me.tsx'
import { AbilityTable } from './ability-table.tsx'
import { AccessButton } from './access-button.tsx'
import { ClientFacts } from './client-facts.tsx'
import { ContainerTable } from './container-table.tsx'

const page = getRouteApi('/shell/clients/host')

/** One host: what it is, what it can do and why not, what its owner forbids, and its containers. */
export function ClientPage() {
  const { id } = page.useSearch()
  return <TeamPage>{(team) => <OneClient teamId={team.identifier} id={id ?? ''} />}</TeamPage>
}

function OneClient({ teamId, id }: { readonly teamId: string; readonly id: string }) {
  const { api } = useApp()
  const { can } = useMe()
  const { data, error, isPending, refetch } = useQuery(clientsQuery(api, teamId))
  const all = data ? [...data.active, ...data.idle, ...data.inactive] : []
  const client = all.find(({ identifier }) => identifier === id)
  return (
    <>
      <PageTitle title="Client">
        {client?.targetable && can('EXPERIMENTS_RUN') && (
          <LinkButton
            to="/attacks/new"
            search={({ team }) => ({ team, host: client.identifier })}
            size="xs"
          >
            Attack this host
          </LinkButton>
        )}
        {client && <AccessButton teamId={teamId} client={client} />}
      </PageTitle>
      <ErrorText error={error} retry={() => void refetch()} />
      {isPending && <Loading what="the host" />}
      {data && !client && (
        <EmptyState title="There is no such host in this team">
          <LinkText to="/clients" search={({ team }) => ({ team })}>
            To the hosts
          </LinkText>
        </EmptyState>
      )}
      {client && <Details teamId={teamId} client={client} />}
    </>
  )
}

function Details({ teamId, client }: { readonly teamId: string; readonly client: Client }) {
  const limits = limitSentences(client)
  return (
    <Stack gap="lg">
      <ClientFacts client={client} />
      <Part title="Runs now">
        <RunsNow teamId={teamId} host={client.identifier} />
      </Part>
      <Part title="What it can run">
        <AbilityTable client={client} />
      </Part>
      <Part title="What its owner forbids">
        {limits.length === 0 && <Text size="sm">Nothing: no limits are set on this host.</Text>}
        {limits.map((sentence) => (
          <Text key={sentence} size="sm" className="temblor-given">
            {sentence}
          </Text>
        ))}
      </Part>
      <Part title={`Containers (${client.containers.length})`}>
        <ContainerTable client={client} />
      </Part>
    </Stack>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {children}
    </section>
  )
}

/** Attacks on this host that are not over; by events, like all attacks. */
function RunsNow({ teamId, host }: { readonly teamId: string; readonly host: string }) {
  const { api } = useApp()
  const { can } = useMe()
  const { data } = useQuery({
    ...activeAttacksQuery(api, teamId),
    enabled: can('EXPERIMENTS_READ'),
  })
  const here = (data ?? []).filter(({ targets }) => targets.includes(host))
  if (here.length === 0) return <Text size="sm">No attack.</Text>
  return (
    <Stack gap={4}>
      {here.map(({ guid, command_type, args, stage }) => (
        <Text key={guid} size="sm" className="temblor-given">
          <StageBadge stage={stage} />{' '}
          <LinkText
            to="/attacks/$id"
            params={{ id: guid }}
            search={({ team }) => ({ team })}
            size="sm"
            underline="always"
          >
            {command_type}
          </LinkText>{' '}
          <Text span ff="monospace" size="xs" c="dimmed">
            {args.join(' ')}
          </Text>
        </Text>
      ))}
    </Stack>
  )
}
