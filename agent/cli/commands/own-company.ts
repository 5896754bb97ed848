import { readSelf } from '../../../shared/api/sessions.ts'
import { signedInClient } from '../credentials.ts'
import type { CliIo } from '../output/io.ts'

/** What stands for the company of the session in a path. */
export async function ownCompany(io: CliIo): Promise<{ companyId: string }> {
  const self = await signedInClient(io.env).api.call(readSelf)
  return { companyId: self.company_id }
}
