import { Keypair } from '@stellar/stellar-sdk'
import { size } from '../stand/run.ts'
import type { Floor } from './floor.ts'
import { requestsOf, warmOf } from './load.ts'
import { logIn, type Ask, type Wallet } from './wallets.ts'

const WALLETS = size(32, 4)
/** Transfers that one wallet starts: it may have so many open. */
const STARTS_EACH = 10
/** The weight of a start. */
const STARTS = 5
/** By then the messages of starts are sent. */
const MESSAGES_MS = size(3_000, 100)
/** What a customer's wallet is known by at the platform. */
const PLATFORM: Floor = { reads: 3 }

/** One thing that wallets ask. */
export interface Case {
  name: string
  /** What a server on Node cannot do without there. */
  floor: Floor
  /** How many times half a millisecond a request costs, about. */
  weight: number
  /** It is two requests. */
  isTwo?: true
  /** By then what it leaves behind is done. */
  behindMs?: number
  prepare?(): Promise<void>
  act(ask: Ask, n: number): Promise<unknown>
}

/** What an anchor issues, and what it is exchanged for (iso4217:…). */
export interface AnchorAsset {
  code: string
  issuer: string
  fiat: string
}

/** What is asked of a server. `warmth`: how many times as much as usual is asked of it before. */
export async function casesOf(ask: Ask, { code, issuer, fiat }: AnchorAsset, warmth = 1): Promise<Case[]> {
  const asset = `stellar:${code}:${issuer}`
  const wallets: Wallet[] = []
  while (wallets.length < WALLETS) wallets.push(await logIn(ask, Keypair.random()))
  const starters: Wallet[] = []
  const addStarters = async () => {
    while (starters.length < (warmth * warmOf(STARTS) + requestsOf(STARTS)) / STARTS_EACH)
      starters.push(await logIn(ask, Keypair.random()))
  }
  const of = (n: number) => wallets[n % wallets.length] as Wallet
  const start = (a: Ask, { token }: Wallet) =>
    a({
      method: 'POST',
      path: '/sep24/transactions/deposit/interactive',
      token,
      body: { asset_code: code, amount: '100' },
    })
  const { id } = JSON.parse(await start(ask, of(0))) as { id: string }
  const price = (n: number) => `sell_asset=${fiat}&sell_amount=${500 + (n % 400)}`
  const quote = (n: number) => ({
    context: 'sep6',
    sell_asset: fiat,
    buy_asset: asset,
    sell_amount: String(500 + (n % 400)),
  })
  return [
    { name: 'toml', floor: {}, weight: 1 / 3, act: a => a({ path: '/.well-known/stellar.toml' }) },
    {
      name: 'SEP-10 challenge',
      weight: 2,
      floor: { asks: [{ signatures: 1 }] },
      act: (a, n) => a({ path: `/auth?account=${of(n).key.publicKey()}` }),
    },
    {
      name: 'SEP-10 login',
      weight: 4,
      floor: { asks: [{ signatures: 1 }, { asks: ['the ledger'] }], checks: 2, writes: 1 },
      isTwo: true,
      act: a => logIn(a, Keypair.random()),
    },
    { name: 'SEP-24 info', floor: {}, weight: 1 / 3, act: a => a({ path: '/sep24/info' }) },
    {
      name: 'SEP-24 start',
      weight: STARTS,
      behindMs: MESSAGES_MS,
      prepare: addStarters,
      // Whether the account asks for memos; the transaction with its message, which is taken, sent and noted as delivered.
      floor: {
        ...{ transactions: [4, 2], reads: 1, writes: 2 },
        asks: [{ asks: ['the ledger'] }, { reads: 3, writes: 1 }],
      },
      act: (a, n) => start(a, starters[Math.floor(n / STARTS_EACH)] as Wallet),
    },
    {
      name: 'SEP-24 transaction',
      weight: 1,
      floor: { reads: 1 },
      act: a => a({ path: `/sep24/transaction?id=${id}`, token: of(0).token }),
    },
    {
      name: 'SEP-38 price',
      weight: 1,
      floor: { asks: [{}] },
      act: (a, n) => a({ path: `/sep38/price?${price(n)}&buy_asset=${asset}&context=sep6` }),
    },
    {
      name: 'SEP-38 prices',
      weight: 1,
      floor: { asks: [{}] },
      act: (a, n) => a({ path: `/sep38/prices?${price(n)}` }),
    },
    {
      name: 'SEP-38 quote',
      weight: 4,
      floor: { writes: 1, asks: [{ reads: 4, asks: [PLATFORM], transactions: [3] }] },
      act: (a, n) => a({ method: 'POST', path: '/sep38/quote', token: of(n).token, body: quote(n) }),
    },
    {
      name: 'SEP-12 PUT',
      weight: 4,
      floor: { reads: 1, asks: [{ reads: 1, asks: [PLATFORM], transactions: [8] }] },
      act: (a, n) =>
        a({
          method: 'PUT',
          path: '/sep12/customer',
          token: of(n).token,
          body: { first_name: 'Asha', last_name: `Rao${n % 7}` },
        }),
    },
    {
      name: 'SEP-12 GET',
      weight: 4,
      floor: { reads: 1, asks: [{ reads: 4, asks: [PLATFORM] }] },
      act: (a, n) => a({ path: '/sep12/customer', token: of(n).token }),
    },
  ]
}
