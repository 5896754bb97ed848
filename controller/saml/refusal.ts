/** The checks of a SAML sign-in, in their order. */
export type SamlCheck =
  | 'encoding'
  | 'structure'
  | 'company'
  | 'settings'
  | 'signature'
  | 'issuer'
  | 'status'
  | 'times'
  | 'audience'
  | 'subject'
  | 'recipient'
  | 'destination'
  | 'in_response_to'
  | 'relay_state'
  | 'replay'
  | 'claims'
  | 'access'

/** Why a sign-in is refused; the browser is told none of it, the company's admins all. */
export class SamlRefusal extends Error {
  readonly check: SamlCheck
  constructor(check: SamlCheck, reason: string) {
    super(reason)
    this.name = 'SamlRefusal'
    this.check = check
  }
}

/** What came, for a reason: short, in quotes. */
export function shown(text: string | undefined): string {
  if (text === undefined) return 'nothing'
  return `"${text.length > 120 ? `${text.slice(0, 120)}…` : text}"`
}
