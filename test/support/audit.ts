import { expect } from 'vitest'
import type { AuditEntry } from '../../shared/api/audit.ts'
import type { Api } from './api.ts'
import { until } from './until.ts'

/** The audit as a test reads it. */
export interface AuditReading {
  /** The newest first, 1,000 at most. */
  readonly entries: (query?: string) => Promise<AuditEntry[]>
  /** The entries that something leaves, the oldest first. */
  readonly leaves: (work: () => Promise<unknown>, howMany?: number) => Promise<AuditEntry[]>
  /** The only entry that something leaves. */
  readonly leavesOne: (work: () => Promise<unknown>) => Promise<AuditEntry>
}

/** The audit of a company, read by somebody who may. */
export function auditOf(reader: () => Api): AuditReading {
  const entries: AuditReading['entries'] = async (query = '') =>
    (await reader().get<{ items: AuditEntry[] }>(`/audit${query}`)).items
  const leaves: AuditReading['leaves'] = async (work, howMany = 1) => {
    const [before] = await entries('?pageSize=1')
    await work()
    const since = async () =>
      (await entries('?pageSize=50')).filter(({ sequence }) => sequence > (before?.sequence ?? 0))
    await until('the audit tells it', async () => (await since()).length >= howMany)
    return (await since()).toReversed()
  }
  return {
    entries,
    leaves,
    async leavesOne(work) {
      const found = await leaves(work)
      expect(found.map(({ action }) => action)).toHaveLength(1)
      return found[0] as AuditEntry
    },
  }
}
