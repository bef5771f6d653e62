import { parse } from 'smol-toml'
import { codeOf, isListedAs, XLM } from './asset.ts'
import { ensure, member, CheckFailed, type Check, type Visit } from './visit.ts'

const currencyFields = ['desc', 'status', 'anchor_asset_type', 'anchor_asset']

/** The file at the public domain, as a web page of another origin would fetch it. */
const fetchFile = (visit: Visit) =>
  visit.once('discovery file', async () => {
    const headers = { origin: 'https://wallet.example' }
    const answer = await visit.ask(`${visit.anchor.publicUrl}/.well-known/stellar.toml`, { headers })
    ensure(answer.status === 200, `The discovery file was answered with ${answer.status} instead of 200.`)
    return answer
  })

/** The discovery file, read once. */
export const readDiscoveryFile = (visit: Visit) =>
  visit.once('discovery', async () => {
    const { text } = await fetchFile(visit)
    try {
      return parse(text)
    } catch (error) {
      throw new CheckFailed(`The discovery file is not TOML: ${(error as Error).message}`)
    }
  })

const header = async (visit: Visit, name: string) =>
  String((await fetchFile(visit)).headers[name] ?? 'missing')

export const sep1: readonly Check[] = [
  {
    name: 'sep1-file',
    requirement: 'The discovery file is served at the home domain, is TOML and at most 100 KB.',
    impact: 'Wallets do not find the anchor.',
    run: async visit => void (await readDiscoveryFile(visit)),
  },
  {
    name: 'sep1-cors',
    requirement: 'Web pages of every origin can read the discovery file.',
    impact: 'Wallets that run in a browser do not find the anchor.',
    run: async visit => {
      const origin = await header(visit, 'access-control-allow-origin')
      ensure(origin === '*', `Access-Control-Allow-Origin is ${origin}, not *.`)
    },
  },
  {
    name: 'sep1-type',
    requirement: 'The discovery file is served as text/plain or application/toml.',
    impact: 'Some wallets and browsers treat the file as a download.',
    run: async visit => {
      const type = await header(visit, 'content-type')
      ensure(/^(text\/plain|application\/toml)\b/.test(type), `Content-Type is ${type}.`)
    },
  },
  {
    name: 'sep1-identity',
    requirement: 'The discovery file names this anchor’s network, signing key and accounts.',
    impact: 'Wallets refuse to log in, because the file describes another anchor.',
    run: async visit => {
      const { anchor } = visit
      const file = await readDiscoveryFile(visit)
      ensure(file.SIGNING_KEY === anchor.signingKey, 'SIGNING_KEY is not the anchor’s key.')
      ensure(
        file.NETWORK_PASSPHRASE === anchor.networkPassphrase,
        'NETWORK_PASSPHRASE names another network.',
      )
      const accounts = Array.isArray(file.ACCOUNTS) ? file.ACCOUNTS : []
      const missing = anchor.accounts.find(account => !accounts.includes(account))
      ensure(!missing, `ACCOUNTS lacks ${missing}.`)
    },
  },
  {
    name: 'sep1-endpoints',
    requirement: 'The discovery file names the endpoints for login, customers, transfers and quotes.',
    impact: 'Wallets offer neither deposits nor withdrawals.',
    run: async visit => {
      const { endpoints } = visit
      const file = await readDiscoveryFile(visit)
      const expected = {
        WEB_AUTH_ENDPOINT: endpoints.webAuth,
        KYC_SERVER: endpoints.kycServer,
        TRANSFER_SERVER: endpoints.transferServer,
        TRANSFER_SERVER_SEP0024: endpoints.transferServerSep24,
        ANCHOR_QUOTE_SERVER: endpoints.quoteServer,
      }
      const offered = Object.entries(expected).filter(([, url]) => url !== '')
      const wrong = offered.find(([name, url]) => file[name] !== url)
      ensure(!wrong, `${wrong?.[0]} is not ${wrong?.[1]}.`)
    },
  },
  {
    name: 'sep1-currency',
    requirement:
      'The discovery file describes the organization and the asset: code, issuer, status, what it is anchored to.',
    impact: 'Wallets and explorers do not list the asset, or do not show what backs it.',
    run: async visit => {
      const { asset } = visit.anchor
      const file = await readDiscoveryFile(visit)
      ensure(
        typeof member(file, 'DOCUMENTATION', 'ORG_NAME') === 'string',
        '[DOCUMENTATION] has no ORG_NAME.',
      )
      const currencies: unknown[] = Array.isArray(file.CURRENCIES) ? file.CURRENCIES : []
      const ours = currencies.find(entry => isListedAs(entry, asset))
      ensure(ours !== undefined, `[[CURRENCIES]] has no ${codeOf(asset)} of the anchor’s issuer.`)
      const lacks = currencyFields.find(name => typeof member(ours, name) !== 'string')
      ensure(!lacks, `[[CURRENCIES]] has no ${lacks}.`)
      // XLM stands for nothing else.
      const isAnchored = asset.issuer !== XLM.issuer
      ensure(
        member(ours, 'is_asset_anchored') === isAnchored,
        `[[CURRENCIES]] does not say is_asset_anchored = ${isAnchored}.`,
      )
    },
  },
]
