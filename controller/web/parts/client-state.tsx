import type { Client } from '../../../shared/api/clients.ts'

/** What a host is doing, as far as attacks go. */
export function clientStateWords({ state, targetable }: Client): string {
  if (state === 'ACTIVE') return targetable ? 'Active' : 'Silent'
  return state === 'IDLE' ? 'Idle' : 'Revoked'
}

/** The state of a host by name, and by colour and shape as well. */
export function ClientState({ client }: { readonly client: Client }) {
  const { state, targetable } = client
  const quiet = state === 'REVOKED' ? 'bad' : 'waiting'
  return (
    <span className="temblor-stage" data-tone={state === 'ACTIVE' && targetable ? 'good' : quiet}>
      {clientStateWords(client)}
    </span>
  )
}
