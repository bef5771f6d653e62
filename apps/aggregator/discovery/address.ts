import type { Ingress } from '@windlass/service/outbound/outbound.ts'

/**
 * Where a domain serves its discovery file: over https; over plain http for hosts of the platform's own ingress, and for
 * loopback hosts on a developer's machine.
 */
export function discoveryUrl(domain: string, options: { local: boolean; ingress?: Ingress }): string {
  return `${schemeOf(domain, options)}://${domain}/.well-known/stellar.toml`
}

function schemeOf(domain: string, { local, ingress }: { local: boolean; ingress?: Ingress }): string {
  const host = domain.replace(/:\d+$/, '')
  if (ingress && host.endsWith(`.${ingress.suffix}`)) return new URL(ingress.url).protocol.slice(0, -1)
  return local && /^(localhost|.*\.localhost|127(\.\d+){3})$/.test(host) ? 'http' : 'https'
}
