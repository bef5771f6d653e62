import { badRequest } from '../errors.ts'

/**
 * The address of a wallet's callback. Throws 400 naming the field unless it is https (or http if the anchor has no TLS)
 * without a password.
 */
export function callbackUrl(name: string, text: string, local: boolean): string {
  const url = text.length <= 500 && URL.canParse(text) ? new URL(text) : null
  const schemes = local ? ['http:', 'https:'] : ['https:']
  if (!url || !schemes.includes(url.protocol)) {
    throw badRequest(`${name} must be an address that begins with ${schemes.join('// or ')}//`)
  }
  if (url.username || url.password) throw badRequest(`${name} must not contain a password`)
  return url.href
}
