import { Facts } from '../../parts/facts.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { TeamPage } from '../../shell/me.tsx'

/** The team that is looked at. */
export function TeamHomePage() {
  return (
    <>
      <PageTitle title="Team" />
      <TeamPage>
        {({ name, identifier, roles }) => (
          <Facts
            facts={[
              ['Name', name],
              ['Id', identifier],
              ['Your roles', roles.join(', ')],
            ]}
          />
        )}
      </TeamPage>
    </>
  )
}
