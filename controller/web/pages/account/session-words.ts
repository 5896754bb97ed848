import type { SessionEntry } from '../../../../shared/api/own-sessions.ts'

const programs: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Macintosh|Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

const nameIn = (text: string, names: readonly (readonly [RegExp, string])[]) =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** With what somebody signed in, as it says itself: "Firefox on Linux", "curl". */
export function programWords(userAgent: string | null): string {
  if (!userAgent) return 'an unknown program'
  const program = nameIn(userAgent, programs) ?? /^[^\s/(]{1,40}/.exec(userAgent)?.[0]
  const system = nameIn(userAgent, systems)
  if (!program) return 'an unknown program'
  return system ? `${program} on ${system}` : program
}

const methods: Readonly<Record<SessionEntry['method'], string>> = {
  password: 'Password',
  saml: 'SAML',
  oauth: 'OAuth',
  google: 'Google',
}

/** How somebody signed in. */
export function methodWords({ method, second_factor: hasCode }: SessionEntry): string {
  return hasCode ? `${methods[method]} and code` : methods[method]
}

/** Which session it is: "Firefox on Linux from 192.0.2.7". */
export function sessionWords({ user_agent: userAgent, address }: SessionEntry): string {
  return `${programWords(userAgent)} from ${address ?? 'an unknown address'}`
}
