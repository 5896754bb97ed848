import { Text } from '@mantine/core'
import type { Invitation } from '../../../../../shared/api/invitations.ts'
import { CopyLine } from '../../../parts/copy-line.tsx'
import { RelativeTime } from '../../../parts/relative-time.tsx'

/** What becomes of an invitation: mailed, or a link to hand over, which is shown once. */
export function InvitationLink({ invitation }: { readonly invitation: Invitation }) {
  const { identifier, accept_url, expires_at, mailed } = invitation
  return (
    <div>
      <Text size="sm" className="temblor-given" mb={4}>
        {mailed
          ? `${identifier} gets a mail with a link. `
          : `Hand this link to ${identifier}; it is not shown again, and good once. `}
        It ends <RelativeTime at={expires_at} />.
      </Text>
      {accept_url !== null && <CopyLine label={`Link for ${identifier}`} text={accept_url} />}
    </div>
  )
}
