/** What a browser may remember of whoever signed in last; nothing that opens anything. */
const places = { company: 'temblor.company', team: 'temblor.team' } as const

export function lastChoice(what: keyof typeof places): string | undefined {
  try {
    return localStorage.getItem(places[what]) ?? undefined
  } catch {
    // Storage may be switched off.
    return undefined
  }
}

export function rememberChoice(what: keyof typeof places, value: string): void {
  try {
    localStorage.setItem(places[what], value)
  } catch {
    // It is a convenience only.
  }
}
