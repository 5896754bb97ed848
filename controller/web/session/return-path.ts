/** Where a sign-in leads: a path of this site, or the first page. */
export function safeReturn(path: string | undefined): string {
  if (!path || !/^\/(?![/\\])[^\p{Cc}\\]*$/u.test(path)) return '/'
  // A sign-in that leads to a sign-in leads nowhere.
  return /^\/(sign-in|users\/sso)(?![\w-])/.test(path) ? '/' : path
}
