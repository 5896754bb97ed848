import { safeDestination } from '../auth/destination.ts'
import { shown } from '../auth/sso-refusal.ts'
import { SamlRefusal } from './refusal.ts'

/** What a RelayState says. Nothing signs it, so it chooses among what is allowed and no more. */
export interface RelayState {
  readonly company: string
  readonly app: string
  readonly destination: string
}

const separator = '|||'

export function formatRelayState({ company, app, destination }: RelayState): string {
  return [company, app, destination].join(separator)
}

/** Undefined for an empty one. @throws SamlRefusal `relay_state` for another form or another app */
export function parseRelayState(text: string | undefined, app: string): RelayState | undefined {
  if (!text) return undefined
  const parts = text.split(separator)
  const [company = '', handler = '', destination = ''] = parts
  if (parts.length < 2 || parts.length > 3 || company.trim() === '')
    throw new SamlRefusal(
      'relay_state',
      `RelayState is ${shown(text)}, not <company>|||<app address>|||<destination>.`,
    )
  if (handler !== app)
    throw new SamlRefusal(
      'relay_state',
      `The app address is ${shown(handler)}, expected ${shown(app)}.`,
    )
  return { company, app, destination: safeDestination(destination, app) }
}

/** Where the app takes over. Existing clients look for an `&` behind the code. */
export function appLocation(app: string, code: string, destination: string): string {
  return `${app}?${new URLSearchParams({ SamlSessionCode: code, destination }).toString()}`
}
