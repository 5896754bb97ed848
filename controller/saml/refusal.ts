import { SsoRefusal } from '../auth/sso-refusal.ts'

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

/** Why a sign-in with SAML is refused. */
export class SamlRefusal extends SsoRefusal {
  constructor(check: SamlCheck, reason: string) {
    super(check, reason)
    this.name = 'SamlRefusal'
  }
}
