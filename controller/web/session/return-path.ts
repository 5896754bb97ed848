/** Pages that are for whoever is not signed in. */
export function isBeforeSignIn(path: string): boolean {
  return /^\/(sign-in|users\/sso|invitation|password-reset|forgot-password)(?![\w-])/.test(path)
}

/** Where a sign-in leads: a path of this site, or the first page. */
export function safeReturn(path: string | undefined): string {
  if (!path || !/^\/(?![/\\])[^\p{Cc}\\]*$/u.test(path)) return '/'
  // A sign-in that leads to a sign-in leads nowhere.
  return isBeforeSignIn(path) ? '/' : path
}
