import type { AnchorEndpoints } from '@windlass/contracts/internal/anchor-endpoints.ts'
import type { Outbound } from '@windlass/service/outbound/outbound.ts'
import { parse } from 'smol-toml'
import { assetListed, isCalled } from './asset.ts'
import { CheckFailed, ensure, MAX_BYTES, member, type AnchorToVisit } from './visit.ts'

/** An anchor as its own discovery file describes it. */
export interface DiscoveredAnchor extends AnchorToVisit {
  endpoints: AnchorEndpoints
}

const NAMES: Readonly<Record<keyof AnchorEndpoints, string>> = {
  webAuth: 'WEB_AUTH_ENDPOINT',
  webAuthForContracts: 'WEB_AUTH_FOR_CONTRACTS_ENDPOINT',
  transferServer: 'TRANSFER_SERVER',
  transferServerSep24: 'TRANSFER_SERVER_SEP0024',
  directPaymentServer: 'DIRECT_PAYMENT_SERVER',
  kycServer: 'KYC_SERVER',
  quoteServer: 'ANCHOR_QUOTE_SERVER',
  federationServer: 'FEDERATION_SERVER',
}

/**
 * Reads what the checks need from the discovery file of an address, of any anchor. `asset` is one of its currencies, by
 * default the first with an issuer, or XLM. Throws {@link CheckFailed} with what is missing.
 */
export async function discoverAnchor(
  address: string,
  outbound: Outbound,
  asset?: string,
): Promise<DiscoveredAnchor> {
  const { origin, host } = new URL(/^https?:/.test(address) ? address : `https://${address}`)
  const place = `${origin}/.well-known/stellar.toml`
  const { status, text } = await outbound
    .request(place, { maxBytes: MAX_BYTES, timeout: 15_000 })
    .catch((error: Error) => {
      throw new CheckFailed(`${place}: ${error.message}`)
    })
  ensure(status === 200, `${place} was answered with ${status} instead of 200.`)
  const file = readToml(place, text)
  const texts = (name: string): string => {
    const value = member(file, name)
    return typeof value === 'string' ? value.replace(/\/$/, '') : ''
  }
  const signingKey = texts('SIGNING_KEY')
  ensure(signingKey !== '', `${place} has no SIGNING_KEY: wallets cannot log in.`)
  const endpoints = Object.fromEntries(
    Object.entries(NAMES).map(([endpoint, name]) => [endpoint, texts(name)]),
  ) as Record<keyof AnchorEndpoints, string>
  ensure(endpoints.webAuth !== '', `${place} has no WEB_AUTH_ENDPOINT: wallets cannot log in.`)
  const accounts = member(file, 'ACCOUNTS')
  return {
    publicUrl: origin,
    homeDomain: host,
    networkPassphrase: texts('NETWORK_PASSPHRASE'),
    signingKey,
    asset: assetOf(place, file, asset),
    accounts: Array.isArray(accounts) ? accounts.map(String) : [],
    amount: '10',
    endpoints: endpoints as AnchorEndpoints,
  }
}

function readToml(place: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new CheckFailed(`${place} is not TOML: ${(error as Error).message}`)
  }
}

function assetOf(place: string, file: unknown, wanted: string | undefined): { code: string; issuer: string } {
  const listed = member(file, 'CURRENCIES')
  const found = (Array.isArray(listed) ? listed : []).flatMap(entry => assetListed(entry) ?? [])
  const asset = found.find(each => wanted === undefined || isCalled(each, wanted))
  ensure(asset !== undefined, `${place} has no currency ${wanted ?? 'with an issuer'}.`)
  return asset
}
