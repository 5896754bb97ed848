import { userInfo } from 'node:os'
import { pino } from 'pino'
import type { AuditActor } from '../../shared/api/audit.ts'
import { openAudit, type Audit } from '../audit/audit.ts'
import { createAuditHasher } from '../audit/entry.ts'
import type { KeyFile } from '../auth/key-file.ts'
import type { Store } from '../store/store.ts'

/** The audit for commands on the controller's host. What cannot be recorded is said on stderr. */
export function openAdminAudit(store: Store, keyFile: KeyFile): Audit {
  return openAudit({
    chains: store.audit,
    hasher: createAuditHasher(keyFile),
    logger: pino({ level: 'error' }, pino.destination({ fd: 2, sync: true })),
    // Its stderr is no log that is kept; running controllers write the heads that they find.
    logsHeads: false,
  })
}

/** Whoever runs a command here. */
export function adminActor(): AuditActor {
  const { uid, username } = userInfo()
  return { kind: 'admin', id: String(uid), name: username }
}
