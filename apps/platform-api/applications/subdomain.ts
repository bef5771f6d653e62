import { Problem } from '@windlass/service/http/problem.ts'
import type { Config } from '../config.ts'

const RESERVED: ReadonlySet<string> = new Set([
  'www',
  'api',
  'admin',
  'console',
  'register',
  'account',
  'auth',
  'login',
  'static',
  'assets',
  'mail',
  'status',
  'docs',
  'internal',
  'anchors',
])

// SEP-10 names a challenge "<home domain> auth" in a ledger entry name, which holds at most 64 bytes.
const LONGEST_HOME_DOMAIN = 59

/** The anchor's home domain, with the port where it is not 80 or 443. */
export function homeDomainOf(subdomain: string, { domainSuffix, publicPort }: Config['anchors']): string {
  const port = publicPort === 80 || publicPort === 443 ? '' : `:${publicPort}`
  return `${subdomain}.${domainSuffix}${port}`
}

/** Why a subdomain cannot be used, in a sentence for the founder; null where it can. */
export function refusalOf(subdomain: string, anchors: Config['anchors']): string | null {
  if (!/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(subdomain)) {
    return 'Use 3 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends.'
  }
  if (subdomain.startsWith('xn--')) return 'Subdomains that start with xn-- are reserved for encoded names.'
  if (RESERVED.has(subdomain)) return `"${subdomain}" is reserved for the platform.`
  const excess = homeDomainOf(subdomain, anchors).length - LONGEST_HOME_DOMAIN
  if (excess > 0) {
    return `Wallets sign in at addresses of at most ${LONGEST_HOME_DOMAIN} characters: this one is ${excess} too long.`
  }
  return null
}

/** Throws `subdomain-not-allowed`. The text is not normalized. */
export function requireUsableSubdomain(subdomain: string, anchors: Config['anchors']): void {
  const refusal = refusalOf(subdomain, anchors)
  if (refusal) {
    throw new Problem('subdomain-not-allowed', refusal, { errors: [{ path: 'subdomain', message: refusal }] })
  }
}
