import type { AuthPreferences } from '../../../../../shared/api/auth-preferences.ts'

type Flag = {
  [K in keyof AuthPreferences]: AuthPreferences[K] extends boolean ? K : never
}[keyof AuthPreferences]

/** One that is on or off: its name in the API, for people, and what it does. */
export type FlagWords = readonly [name: Flag, label: string, hint: string]

/** The preferences as they stand on the page, by what they are about. */
export const flagGroups: readonly (readonly [title: string, flags: readonly FlagWords[]])[] = [
  [
    'How people sign in',
    [
      ['passwordEnabled', 'Password', 'Also needed to accept an invitation.'],
      ['samlEnabled', 'SAML', 'With the identity provider that is set under SAML.'],
      ['samlForced', 'SAML alone', 'Nobody signs in otherwise, whatever else is on.'],
      ['oauthEnabled', 'OAuth', 'With the provider that is set under OAuth.'],
      ['googleEnabled', 'Public provider', 'With the one that this service is set up with.'],
    ],
  ],
  [
    'What is asked of them',
    [
      ['mfaRequired', 'Second factor', 'Whoever has none sets one up at the next sign-in.'],
      [
        'claimsRequired',
        'Role claims',
        'A sign-in with a provider that says nothing of roles is refused.',
      ],
      [
        'samlAliasesEnabled',
        'Aliases of roles',
        'Groups of a SAML provider may stand for roles here.',
      ],
    ],
  ],
  [
    'How long a session lasts',
    [
      [
        'allowSessionRenewal',
        'Sessions are renewed',
        'Up to seven days after the sign-in. Off: a session ends after the minutes below.',
      ],
    ],
  ],
  [
    'API keys',
    [
      ['apiKeysEnabled', 'API keys', 'Off: no key of the company works, from the next request on.'],
      [
        'apiKeysMaxSecondsToExpireEnabled',
        'Every new key expires',
        'At the latest after the days below.',
      ],
    ],
  ],
]

/** What was changed, by name; what is as it was is not sent. */
export function changesBetween(
  present: AuthPreferences,
  wanted: AuthPreferences,
): Partial<AuthPreferences> {
  const names = Object.keys(wanted) as (keyof AuthPreferences)[]
  return Object.fromEntries(
    names.filter((name) => wanted[name] !== present[name]).map((name) => [name, wanted[name]]),
  )
}
