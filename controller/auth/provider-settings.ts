import { invalid } from '../records/invalid.ts'

/**
 * An address of an identity provider, as it is kept: https, or http on this machine.
 * @throws ApiError `invalid_body` naming the field
 */
export function readProviderUrl(field: string, text: string): string {
  const url = URL.parse(text.trim())
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url.hostname))
  if (!url || !isSafe || url.username || url.password || url.hash)
    invalid(field, text, 'an https address without user and fragment')
  return url.href
}

/** Whether a host of an address is this machine. */
export function isLocal(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
