import { getDomain } from 'tldts-icann'

/**
 * What is registered to one owner: the domain below a public suffix (`b.co.uk` of `a.b.co.uk`). Hosts of a hosting service
 * (`a.github.io`), which cost nothing, are one site. An address or a name without such a suffix is its own.
 */
export function siteOf(domain: string): string {
  const host = domain.toLowerCase().replace(/:\d+$/, '')
  return getDomain(host) ?? host
}
