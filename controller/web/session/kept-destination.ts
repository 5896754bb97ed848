const storageKey = 'temblor.destination'

/** Remembers in this tab where a sign-in is to lead that goes by way of a provider. */
export function keepDestination(path: string): void {
  sessionStorage.setItem(storageKey, path)
}

/** Where it is to lead; it is asked once. */
export function takeDestination(): string | undefined {
  const path = sessionStorage.getItem(storageKey) ?? undefined
  sessionStorage.removeItem(storageKey)
  return path
}
