/**
 * Operations that clients of this interface know and that are not offered here, with what to do instead.
 * `*` stands for one part of a path.
 */
const notOffered: readonly (readonly [methods: string, path: string, instead: string])[] = [
  [
    'GET POST DELETE',
    '/orgs/auth/certificate',
    'Teams have no certificate: each host gets one of its own when it joins, and renews it by itself. ' +
      'Hosts join with the secret of the team (POST /orgs/auth/secret/reset gives a new one); revoke a host with DELETE /clients/{identifier}.',
  ],
  [
    'DELETE',
    '/orgs/auth/certificate/old',
    'Teams have no certificate, so there is no old one: each host has one of its own.',
  ],
  [
    'GET',
    '/teams/helm/install',
    'There is no chart. GET /teams/client/install answers the settings of an agent.',
  ],
  [
    'GET',
    '/teams/kubernetes/install',
    'There is no manifest. GET /teams/client/install answers the settings of an agent.',
  ],
  ['POST', '/roles', 'Roles are not made by users. GET /roles lists those there are.'],
  [
    'GET PATCH DELETE',
    '/roles/*',
    'Roles are not made by users. GET /roles lists those there are with their privileges.',
  ],
  [
    'POST',
    '/companies',
    'Companies are made on the host of the controller: temblor admin company add.',
  ],
  [
    'POST',
    '/companies/invite',
    'Nobody signs up alone. Invitations: POST /companies/{id}/invites.',
  ],
  [
    'GET',
    '/users/auth/emailCompanies',
    'It would tell strangers who has a user. Sign in: the sessions name their companies.',
  ],
]

/** What to do instead of an operation that is not offered; undefined for what nobody knows either. */
export function insteadOf(method: string, url: string): string | undefined {
  const path = (url.split('?')[0] ?? '').replace(/^\/v1/, '').replace(/\/+$/, '')
  const parts = path.split('/')
  const fits = (known: string) => {
    const wanted = known.split('/')
    return (
      wanted.length === parts.length &&
      wanted.every((part, index) => part === '*' || part === parts[index])
    )
  }
  const found = notOffered.find(
    ([methods, known]) => methods.split(' ').includes(method) && fits(known),
  )
  return found?.[2]
}
