import { createVerify, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { requestIdIn, type SamlCompany } from './saml-company.ts'
import { listen } from './site.ts'

/** The pages of an identity provider for a browser: whoever opens them is signed in there already. */
export interface IdpServer extends AsyncDisposable {
  /** Where service providers send browsers with a request. */
  readonly ssoUrl: string
  /** Where somebody chooses the service at the provider. */
  readonly appsUrl: string
  /** Requests that came with a signature that is good. */
  readonly verified: readonly string[]
}

/** Serves them on another site than the service, for somebody who changes at will. */
export async function startIdpServer(
  company: () => SamlCompany,
  email: () => string,
): Promise<IdpServer> {
  const verified: string[] = []
  const server = createServer((asked, answer) => {
    const url = new URL(asked.url ?? '/', 'http://localhost')
    void page(company(), email(), url, verified).then(
      (html) => answer.setHeader('content-type', 'text/html').end(html),
      (error: unknown) => answer.writeHead(400).end(String(error)),
    )
  })
  const { port } = new URL(await listen(server))
  return {
    ssoUrl: `http://localhost:${port}/sso`,
    appsUrl: `http://localhost:${port}/apps`,
    verified,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A form that the browser sends off by itself, as the HTTP-POST binding has it. */
async function page(
  company: SamlCompany,
  email: string,
  url: URL,
  verified: string[],
): Promise<string> {
  const isAsked = url.pathname === '/sso'
  if (isAsked) await verify(company, url)
  const inResponseTo = isAsked ? requestIdIn(url) : undefined
  if (inResponseTo) verified.push(inResponseTo)
  const xml = company.build({ email, inResponseTo })
  const relay =
    url.searchParams.get('RelayState') ?? `${company.company.name}|||${company.app}|||/attacks`
  const fields = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relay }
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  )
  return `<!doctype html><form method="post" action="${company.acs}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`
}

/** @throws Error when the request is not signed with the key of the metadata */
async function verify({ audience }: SamlCompany, url: URL): Promise<void> {
  const metadata = await (await fetch(audience)).text()
  const [, body = ''] = /<(?:\w+:)?X509Certificate>([^<]+)</.exec(metadata) ?? []
  const { publicKey } = new X509Certificate(Buffer.from(body, 'base64'))
  const [signed = ''] = url.search.slice(1).split('&Signature=')
  const signature = url.searchParams.get('Signature') ?? ''
  if (!createVerify('sha256').update(signed).verify(publicKey, signature, 'base64'))
    throw new Error('The request is not signed.')
}
