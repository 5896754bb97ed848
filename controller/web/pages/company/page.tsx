import { Facts } from '../../parts/facts.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { useMe } from '../../shell/me.tsx'

/** The company of the session. */
export function CompanyPage() {
  const { self } = useMe()
  return (
    <>
      <PageTitle title="Company" />
      <Facts
        facts={[
          ['Name', self.company_name],
          ['Id', self.company_id],
          ['Your roles', self.company_roles.join(', ')],
        ]}
      />
    </>
  )
}
