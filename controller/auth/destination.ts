/** A path of the site that `app` is of; anything else becomes `/`. */
export function safeDestination(destination: string | undefined, app: string): string {
  if (!destination || !/^\/(?![/\\])[^\p{Cc}\\]*$/u.test(destination)) return '/'
  return URL.parse(destination, app)?.origin === new URL(app).origin ? destination : '/'
}

/** Where whoever tries a provider sees what became of it. */
export function testLocation(app: string, destination: string, testId: string): string {
  const url = new URL(safeDestination(destination, app), app)
  url.searchParams.set('ssoTest', testId)
  return url.href
}
