import type { SepEndpoints } from '@windlass/contracts/handoff.ts'
import { parse } from 'smol-toml'

/** What an anchor says of itself in its discovery file (SEP-1). */
export interface Discovery {
  signingKey: string | null
  networkPassphrase: string | null
  accounts: string[]
  currencies: { code: string; issuer: string }[]
  endpoints: SepEndpoints
}

/** SEP-1 allows no longer file. */
export const MAX_DISCOVERY_BYTES = 100 * 1024

const KEY = /^G[A-Z2-7]{55}$/

/** Reads a discovery file. What is not of its form counts as absent; throws where the text is not TOML. */
export function parseDiscovery(text: string): Discovery {
  const toml = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: 20 }) as Record<string, unknown>
  return {
    signingKey: matching(toml.SIGNING_KEY, KEY),
    networkPassphrase: matching(toml.NETWORK_PASSPHRASE, /^.{1,200}$/),
    accounts: list(toml.ACCOUNTS).flatMap(account => matching(account, KEY) ?? []),
    currencies: list(toml.CURRENCIES).flatMap(currencyOf),
    endpoints: {
      webAuth: httpUrl(toml.WEB_AUTH_ENDPOINT),
      transferServer: httpUrl(toml.TRANSFER_SERVER),
      transferServerSep24: httpUrl(toml.TRANSFER_SERVER_SEP0024),
      kycServer: httpUrl(toml.KYC_SERVER),
      quoteServer: httpUrl(toml.ANCHOR_QUOTE_SERVER),
      directPayment: httpUrl(toml.DIRECT_PAYMENT_SERVER),
    },
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 1_000) : [])

const matching = (value: unknown, form: RegExp): string | null =>
  typeof value === 'string' && form.test(value) ? value : null

function currencyOf(value: unknown): { code: string; issuer: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const { code, issuer } = value as { code?: unknown; issuer?: unknown }
  const known = { code: matching(code, /^[A-Za-z0-9]{1,12}$/), issuer: matching(issuer, KEY) }
  return known.code && known.issuer ? [{ code: known.code, issuer: known.issuer }] : []
}

function httpUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 500 || !URL.canParse(value)) return null
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === '' ? value : null
}
