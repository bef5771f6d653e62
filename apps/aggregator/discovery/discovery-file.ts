import type { SepEndpoints } from '@windlass/contracts/aggregator/handoff.ts'
import { parse } from 'smol-toml'

/** What an anchor states in its discovery file (SEP-1). */
export interface Discovery {
  signingKey: string | null
  networkPassphrase: string | null
  /** `C…`: contract accounts log in by it (SEP-45). */
  webAuthContract: string | null
  /** ORG_NAME of its documentation. */
  name: string | null
  accounts: string[]
  currencies: Currency[]
  endpoints: SepEndpoints
}

export interface Currency {
  code: string
  /** `native`: XLM. */
  issuer: string
  /** What the asset stands for, such as `USD`. */
  anchorAsset: string | null
}

/** The longest file that SEP-1 allows. */
export const MAX_DISCOVERY_BYTES = 100 * 1024

const KEY = /^G[A-Z2-7]{55}$/

/** Reads a discovery file. A value of the wrong form counts as absent; throws if the text is not TOML. */
export function parseDiscovery(text: string): Discovery {
  const toml = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: 20 }) as Record<string, unknown>
  return {
    signingKey: matching(toml.SIGNING_KEY, KEY),
    networkPassphrase: matching(toml.NETWORK_PASSPHRASE, /^.{1,200}$/),
    webAuthContract: matching(toml.WEB_AUTH_CONTRACT_ID, /^C[A-Z2-7]{55}$/),
    name: matching(table(toml.DOCUMENTATION).ORG_NAME, /^[^\p{C}]{1,200}$/u),
    accounts: list(toml.ACCOUNTS).flatMap(account => matching(account, KEY) ?? []),
    currencies: list(toml.CURRENCIES).flatMap(currencyOf),
    endpoints: {
      webAuth: httpUrl(toml.WEB_AUTH_ENDPOINT),
      webAuthForContracts: httpUrl(toml.WEB_AUTH_FOR_CONTRACTS_ENDPOINT),
      transferServer: httpUrl(toml.TRANSFER_SERVER),
      transferServerSep24: httpUrl(toml.TRANSFER_SERVER_SEP0024),
      kycServer: httpUrl(toml.KYC_SERVER),
      quoteServer: httpUrl(toml.ANCHOR_QUOTE_SERVER),
      directPayment: httpUrl(toml.DIRECT_PAYMENT_SERVER),
    },
  }
}

/** Endpoints without TLS in a file that was read over TLS: a wallet would send its token in the clear. */
export function plainEndpoints(url: string, { endpoints }: Discovery): string[] {
  if (!url.startsWith('https:')) return []
  return Object.values(endpoints).filter(endpoint => endpoint?.startsWith('http:') === true) as string[]
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 1_000) : [])

const matching = (value: unknown, form: RegExp): string | null =>
  typeof value === 'string' && form.test(value) ? value : null

const table = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function currencyOf(value: unknown): Currency[] {
  const currency = table(value)
  const anchorAsset = matching(currency.anchor_asset, /^[A-Za-z0-9]{1,12}$/)
  // XLM, which has no issuer.
  if (currency.code === 'native' && currency.issuer === undefined)
    return [{ code: 'XLM', issuer: 'native', anchorAsset }]
  const code = matching(currency.code, /^[A-Za-z0-9]{1,12}$/)
  const issuer = matching(currency.issuer, KEY)
  if (!code || !issuer) return []
  return [{ code, issuer, anchorAsset }]
}

function httpUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 500 || !URL.canParse(value)) return null
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === '' ? value : null
}
