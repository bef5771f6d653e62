import type { Entry } from '../registry/entry.ts'
import type { Discovery } from '../discovery/discovery-file.ts'

type Registered = Pick<Entry, 'signingKey' | 'assets'>

/** How a discovery file contradicts the registry: another signing key or none, another issuer of an asset. */
export function contradiction(discovery: Discovery, entry: Registered): string | null {
  if (entry.signingKey && discovery.signingKey !== entry.signingKey) {
    return discovery.signingKey ? 'SIGNING_KEY is not the registered one' : 'it has no SIGNING_KEY'
  }
  for (const { code, issuer } of entry.assets) {
    const listed = discovery.currencies.filter(currency => currency.code === code)
    if (listed.length > 0 && !listed.some(currency => currency.issuer === issuer)) {
      return `${code} is listed with another issuer than the registered one`
    }
  }
  return null
}

/** Whether a discovery file carries the anchor's keys: its signing key where one is registered, and every issuer. */
export function provesDomain(discovery: Discovery, entry: Registered): boolean {
  const issuers = new Set([...discovery.accounts, ...discovery.currencies.map(({ issuer }) => issuer)])
  return contradiction(discovery, entry) === null && entry.assets.every(({ issuer }) => issuers.has(issuer))
}
