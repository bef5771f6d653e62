import { refused } from './sep-errors.ts'

/**
 * An address of a wallet's server that it wants to be called at. Throws a refusal naming the field: only http and
 * https, https alone where the anchor itself has TLS, and no password in it.
 */
export function callbackAddress(name: string, text: string, local: boolean): string {
  const url = text.length <= 500 && URL.canParse(text) ? new URL(text) : null
  const schemes = local ? ['http:', 'https:'] : ['https:']
  if (!url || !schemes.includes(url.protocol)) {
    throw refused(`${name} must be an address that begins with ${schemes.join('// or ')}//`)
  }
  if (url.username || url.password) throw refused(`${name} must not carry a password`)
  return url.href
}
