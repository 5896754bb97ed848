import type { Client } from '../../../../shared/api/clients.ts'
import { ClientState } from '../../parts/client-state.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { RelativeTime } from '../../parts/relative-time.tsx'

/** What a host is, as its agent says. */
export function ClientFacts({ client }: { readonly client: Client }) {
  const { identifier, tags, last_seen, version, os_name, os_version, cpu_cores } = client
  return (
    <Facts
      facts={[
        ['Name', identifier],
        ['State', <ClientState key="state" client={client} />],
        ['Last heard', <RelativeTime key="seen" at={last_seen} />],
        ['Joined', <RelativeTime key="joined" at={client.created_at} />],
        ['Tags', Object.keys(tags).length > 0 ? <Pairs key="tags" pairs={tags} /> : 'none'],
        ['Agent', version],
        ['System', [os_name, os_version].filter(Boolean).join(' ') || 'unknown'],
        ['Cores', cpu_cores > 0 ? String(cpu_cores) : 'unknown'],
        ['Memory', memoryWords(client.memory_bytes)],
        ['Docker', client.docker_version ?? 'none'],
      ]}
    />
  )
}

function memoryWords(bytes: number): string {
  return bytes > 0 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : 'unknown'
}
