import type { Hello__Output } from '../../proto/gen/temblor/agent/v1/Hello.ts'
import type { ClaimResult } from '../store/hosts.ts'

/** As long as a DNS name may be; names are shown to people and stand in paths. */
const identifierPattern = /^[^\p{Cc}]{1,253}$/u

/** Why this cannot be the name of a host; undefined when it can. */
export function identifierProblem(identifier: string): string | undefined {
  return identifierPattern.test(identifier)
    ? undefined
    : 'The name of a host has 1 to 253 characters and no control characters.'
}

/** Why an agent may not be the host that it says it is, for whoever started it. */
export function refusedClaim(
  claim: Exclude<ClaimResult, { kind: 'ok' }>,
  { identifier, instanceId, bootId }: Hello__Output,
  address: string,
): { code: string; message: string; final: boolean } {
  if (claim.kind === 'outdated')
    return {
      code: 'replaced',
      message: 'A newer session of this agent took over.',
      final: false,
    }
  if (claim.kind === 'revoked') {
    const message = `The host "${identifier}" is revoked. A manager of the team can activate it again.`
    return { code: 'revoked', message, final: true }
  }
  const message =
    `The name "${identifier}" belongs to a live host already: instance ${claim.instanceId} ` +
    `(boot ${claim.bootId}, from ${claim.address}, last heard ${new Date(claim.lastSeenMs).toISOString()}). ` +
    `This agent is instance ${instanceId} (boot ${bootId}, from ${address}). ` +
    'Give one of them another name with TEMBLOR_IDENTIFIER.'
  return { code: 'identifier_in_use', message, final: true }
}
