import { Facts } from '../../parts/facts.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { useMe } from '../../shell/me.tsx'

/** Whoever is signed in. */
export function AccountPage() {
  const { self } = useMe()
  return (
    <>
      <PageTitle title="Account" />
      <Facts
        facts={[
          ['Email address', self.identifier],
          ['User id', self.user_id],
        ]}
      />
    </>
  )
}
