import { askProgram } from './host/ask-program.ts'

const timeoutMs = 30_000

export interface KeyAndRequest {
  readonly keyPem: string
  /** PKCS #10. */
  readonly csrPem: string
}

/**
 * Makes an EC P-256 key and a request for a certificate of this instance in this team.
 * @throws Error with what the program said when it could not
 */
export async function createCertificateRequest(
  instanceId: string,
  teamId: string,
): Promise<KeyAndRequest> {
  const args = [instanceId, teamId]
  return (await askProgram('certificate-request', args, timeoutMs)) as KeyAndRequest
}
