import { exchange, type Answer } from './http.ts'

/** Sends a request exactly as written: the lines of its head, then its body as it is. */
export async function sendRaw(
  baseUrl: string,
  head: readonly string[],
  body: string | Uint8Array = '',
): Promise<Answer> {
  const [first = '', ...headers] = head
  const bytes = Buffer.from(body)
  const hasLength = headers.some((line) => /^(content-length|transfer-encoding):/i.test(line))
  const length = bytes.length > 0 && !hasLength ? [`Content-Length: ${bytes.length}`] : []
  const lines = [
    first,
    `Host: ${new URL(baseUrl).host}`,
    ...headers,
    ...length,
    'Connection: close',
    '',
    '',
  ]
  return await exchange(baseUrl, Buffer.concat([Buffer.from(lines.join('\r\n')), bytes]))
}
