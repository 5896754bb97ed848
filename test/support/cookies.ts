/** The cookies that one browser holds, by site. */
export interface Browser {
  /** Asks with the cookies it has, and keeps those it gets. Redirects are not followed. */
  visit(url: string, options?: RequestInit): Promise<Response>
}

export function newBrowser(): Browser {
  const jars = new Map<string, Map<string, string>>()
  return {
    async visit(url, options = {}) {
      const { host } = new URL(url)
      const jar = jars.get(host) ?? new Map<string, string>()
      jars.set(host, jar)
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
      const headers = new Headers(options.headers)
      if (cookie) headers.set('cookie', cookie)
      const answer = await fetch(url, { ...options, headers, redirect: 'manual' })
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name)
        else jar.set(name, value)
      }
      return answer
    },
  }
}
