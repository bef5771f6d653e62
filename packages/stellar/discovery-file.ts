import { parse, stringify } from 'smol-toml'

/** What an anchor tells the world about itself. */
export interface Discovery {
  networkPassphrase: string
  endpoints: {
    webAuth: string
    webAuthForContracts: string
    kycServer: string
    transferServer: string
    transferServerSep24: string
    directPaymentServer: string
    quoteServer: string
    federationServer: string
  }
  signingKey: string
  /** `C…`: contract accounts log in by this contract (SEP-45). */
  webAuthContract?: string | undefined
  accounts: readonly string[]
  organization: { name: string; email?: string; website?: string }
  currencies: readonly DiscoveryCurrency[]
}

interface DiscoveryCurrency {
  code: string
  /** `native`: XLM. */
  issuer: string
  name: string
  /** ISO 4217 code or the asset it stands for. */
  anchoredTo: string
  /** Whether the anchor issues it. */
  isOwn: boolean
  status: 'live' | 'test'
}

/** Renders `/.well-known/stellar.toml` (SEP-1 2.7). */
export function renderDiscoveryFile(discovery: Discovery): string {
  const { endpoints, organization } = discovery
  return stringify({
    VERSION: '2.7.0',
    NETWORK_PASSPHRASE: discovery.networkPassphrase,
    SIGNING_KEY: discovery.signingKey,
    ACCOUNTS: [...discovery.accounts],
    WEB_AUTH_ENDPOINT: endpoints.webAuth,
    ...(discovery.webAuthContract
      ? {
          WEB_AUTH_FOR_CONTRACTS_ENDPOINT: endpoints.webAuthForContracts,
          WEB_AUTH_CONTRACT_ID: discovery.webAuthContract,
        }
      : {}),
    KYC_SERVER: endpoints.kycServer,
    TRANSFER_SERVER: endpoints.transferServer,
    TRANSFER_SERVER_SEP0024: endpoints.transferServerSep24,
    DIRECT_PAYMENT_SERVER: endpoints.directPaymentServer,
    ANCHOR_QUOTE_SERVER: endpoints.quoteServer,
    FEDERATION_SERVER: endpoints.federationServer,
    DOCUMENTATION: {
      ORG_NAME: organization.name,
      ...describeOrganization(discovery),
    },
    CURRENCIES: discovery.currencies.map(renderCurrency),
  })
}

/** An email counts only beside a site (SEP-1): without one of their own, the anchor's home page is it. */
function describeOrganization({ organization: { email, website }, endpoints }: Discovery) {
  const site = website || (email && new URL(endpoints.webAuth).origin)
  return { ...(site ? { ORG_URL: site } : {}), ...(email ? { ORG_OFFICIAL_EMAIL: email } : {}) }
}

function renderCurrency(currency: DiscoveryCurrency): Record<string, string | number | boolean> {
  if (currency.issuer === 'native') return renderXlm(currency)
  const fiat = /^[A-Z]{3}$/.test(currency.anchoredTo)
  return {
    code: currency.code,
    issuer: currency.issuer,
    status: currency.status,
    display_decimals: 7,
    name: currency.name,
    desc: `${currency.code} is redeemable for ${currency.anchoredTo} at this anchor.`,
    ...(currency.isOwn ? { is_unlimited: true } : {}),
    is_asset_anchored: true,
    anchor_asset_type: fiat ? 'fiat' : 'crypto',
    anchor_asset: currency.anchoredTo,
    redemption_instructions: `Withdraw ${currency.code} with any wallet that speaks SEP-24 or SEP-6.`,
  }
}

/** XLM has no issuer and is redeemable for nothing. */
const renderXlm = ({ status, name }: DiscoveryCurrency) => ({
  code: 'native',
  status,
  display_decimals: 7,
  name,
  desc: 'XLM, the native asset of the Stellar network, is bought and sold at this anchor.',
  is_asset_anchored: false,
  anchor_asset_type: 'crypto',
  anchor_asset: 'XLM',
})

/** What is needed of a discovery file to log in (SEP-10). Throws where it is no TOML. */
export function readDiscoveryFile(text: string): { signingKey: string | null; webAuth: string | null } {
  const file = parse(text)
  const textAt = (name: string) => (typeof file[name] === 'string' ? file[name] : null)
  return { signingKey: textAt('SIGNING_KEY'), webAuth: textAt('WEB_AUTH_ENDPOINT') }
}
