import { companyNotFound } from '../records/not-found.ts'
import type { Caller } from './access.ts'

/**
 * Lets nobody reach beyond the company of their session.
 * @throws ApiError `company_not_found`, whether there is another company of this id or not
 */
export function checkOwnCompany(caller: Caller, companyId: string): void {
  if (caller.company.id !== companyId) throw companyNotFound(companyId)
}
