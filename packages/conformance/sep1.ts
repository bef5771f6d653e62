import { parse } from 'smol-toml'
import type { Demand } from './check-anchor.ts'
import { demand, member, Unmet, type Visit } from './visit.ts'

const currencyFields = ['desc', 'status', 'anchor_asset_type', 'anchor_asset']

/** The file at the public domain, as a web page of another origin would fetch it. */
const fetchFile = (visit: Visit) =>
  visit.once('discovery file', async () => {
    const headers = { origin: 'https://wallet.example' }
    const answer = await visit.ask(`${visit.anchor.publicUrl}/.well-known/stellar.toml`, { headers })
    demand(answer.status === 200, `The discovery file was answered with ${answer.status} instead of 200.`)
    return answer
  })

const readFile = (visit: Visit) =>
  visit.once('discovery', async () => {
    const { text } = await fetchFile(visit)
    try {
      return parse(text)
    } catch (error) {
      throw new Unmet(`The discovery file is no TOML: ${(error as Error).message}`)
    }
  })

const header = async (visit: Visit, name: string) =>
  String((await fetchFile(visit)).headers[name] ?? 'nothing')

export const sep1: readonly Demand[] = [
  {
    check: 'sep1-file',
    demand: 'The discovery file answers at the home domain, is TOML and has at most 100 KB.',
    meaning: 'Wallets do not find the anchor at all.',
    see: async visit => void (await readFile(visit)),
  },
  {
    check: 'sep1-cors',
    demand: 'The discovery file may be read by web pages of every origin.',
    meaning: 'Wallets that run in a browser do not find the anchor.',
    see: async visit => {
      const origin = await header(visit, 'access-control-allow-origin')
      demand(origin === '*', `Access-Control-Allow-Origin is ${origin}, not *.`)
    },
  },
  {
    check: 'sep1-type',
    demand: 'The discovery file is served as text/plain or application/toml.',
    meaning: 'Some wallets and browsers take the file for a download.',
    see: async visit => {
      const type = await header(visit, 'content-type')
      demand(/^(text\/plain|application\/toml)\b/.test(type), `Content-Type is ${type}.`)
    },
  },
  {
    check: 'sep1-identity',
    demand: 'The discovery file names this anchor’s network, signing key and accounts.',
    meaning: 'Wallets take the file for another anchor’s and refuse to log in.',
    see: async visit => {
      const { anchor } = visit
      const file = await readFile(visit)
      demand(file.SIGNING_KEY === anchor.signingKey, 'SIGNING_KEY is not the anchor’s key.')
      demand(
        file.NETWORK_PASSPHRASE === anchor.networkPassphrase,
        'NETWORK_PASSPHRASE is of another network.',
      )
      const accounts = Array.isArray(file.ACCOUNTS) ? file.ACCOUNTS : []
      demand(accounts.includes(anchor.asset.issuer), 'ACCOUNTS lacks the issuing account.')
    },
  },
  {
    check: 'sep1-endpoints',
    demand: 'The discovery file names where to log in, identify, transfer and ask for quotes.',
    meaning: 'Wallets offer neither deposits nor withdrawals.',
    see: async visit => {
      const { endpoints } = visit
      const file = await readFile(visit)
      const expected = {
        WEB_AUTH_ENDPOINT: endpoints.webAuth,
        KYC_SERVER: endpoints.kycServer,
        TRANSFER_SERVER: endpoints.transferServer,
        TRANSFER_SERVER_SEP0024: endpoints.transferServerSep24,
        ANCHOR_QUOTE_SERVER: endpoints.quoteServer,
      }
      const wrong = Object.entries(expected).find(([name, url]) => file[name] !== url)
      demand(!wrong, `${wrong?.[0]} is not ${wrong?.[1]}.`)
    },
  },
  {
    check: 'sep1-currency',
    demand:
      'The discovery file describes the organization and the asset: code, issuer, status, what it is anchored to.',
    meaning: 'Wallets and explorers do not list the asset, or do not say what it stands for.',
    see: async visit => {
      const { code, issuer } = visit.anchor.asset
      const file = await readFile(visit)
      demand(
        typeof member(file, 'DOCUMENTATION', 'ORG_NAME') === 'string',
        '[DOCUMENTATION] has no ORG_NAME.',
      )
      const currencies: unknown[] = Array.isArray(file.CURRENCIES) ? file.CURRENCIES : []
      const ours = currencies.find(each => member(each, 'code') === code && member(each, 'issuer') === issuer)
      demand(ours !== undefined, `[[CURRENCIES]] has no ${code} of the anchor’s issuer.`)
      const lacks = currencyFields.find(name => typeof member(ours, name) !== 'string')
      demand(!lacks, `[[CURRENCIES]] says nothing of ${lacks}.`)
      demand(
        member(ours, 'is_asset_anchored') === true,
        '[[CURRENCIES]] does not say is_asset_anchored = true.',
      )
    },
  },
]
