import {
  Account,
  Address,
  Asset,
  authorizeEntry,
  BASE_FEE,
  Keypair,
  nativeToScVal,
  Operation,
  StrKey,
  TransactionBuilder,
  WebAuth,
  xdr,
} from '@stellar/stellar-sdk'
import type { Handoff } from '@windlass/contracts/aggregator/handoff.ts'
import type { Quote as WireQuote } from '@windlass/contracts/aggregator/quotes.ts'
import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import type { RouteAnswer } from '@windlass/contracts/aggregator/routing.ts'
import type { TransferPlan as WirePlan } from '@windlass/contracts/aggregator/transfer-plans.ts'
import type { SepTransaction } from '@windlass/contracts/wallet/sep-transactions.ts'
import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import {
  ChallengeError,
  paymentOf,
  RefusedError,
  UnreachableError,
  UnsupportedError,
  Wallet,
  type Anchor,
  type AnchorAddress,
  type Quote,
  type Route,
  type Signer,
  type Transaction,
  type TransferPlan,
} from './wallet.ts'

const PASSPHRASE = 'Test SDF Network ; September 2015'
const HOME = 'mumbai.example'
const anchorKey = Keypair.random()
const key = Keypair.random()
const [webAuthContract, contractAccount] = [1, 2].map(byte =>
  StrKey.encodeContract(new Uint8Array(32).fill(byte)),
) as [string, string]

interface Asked {
  method: string
  url: URL
  headers: Headers
  body: Record<string, string>
}
type Respond = (asked: Asked) => Response | Promise<Response>

let asked: Asked[]
let routes: Record<string, Respond>
const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers })
const fakeFetch: typeof fetch = async (input, init = {}) => {
  init.signal?.throwIfAborted()
  const body = init.body ? (JSON.parse(String(init.body)) as Record<string, string>) : {}
  const url = new URL(String(input))
  const one: Asked = { method: init.method ?? 'GET', url, headers: new Headers(init.headers), body }
  asked.push(one)
  return routes[`${one.method} ${url.pathname}`]?.(one) ?? json({ error: 'nothing here' }, 404)
}
const count = (route: string) =>
  asked.filter(({ method, url }) => `${method} ${url.pathname}` === route).length

interface Trick {
  server?: Keypair
  account?: string
  home?: string
  webAuthDomain?: string
  network?: string
  memo?: string
  clientDomain?: string
}
const challengeOf = (account: string, trick: Trick = {}): string =>
  WebAuth.buildChallengeTx(
    trick.server ?? anchorKey,
    trick.account ?? account,
    trick.home ?? HOME,
    300,
    trick.network ?? PASSPHRASE,
    trick.webAuthDomain ?? HOME,
    trick.memo ?? null,
    trick.clientDomain ?? null,
    trick.clientDomain ? anchorKey.publicKey() : null,
  )

const handoff = (changes: Partial<Handoff> = {}): Handoff => ({
  anchorId: 'mumbai',
  homeDomain: HOME,
  signingKey: anchorKey.publicKey(),
  networkPassphrase: PASSPHRASE,
  webAuthContract,
  discoveryUrl: `https://${HOME}/.well-known/stellar.toml`,
  endpoints: {
    webAuth: `https://${HOME}/auth`,
    webAuthForContracts: `https://${HOME}/sep45`,
    transferServer: `https://${HOME}/sep6`,
    transferServerSep24: `https://${HOME}/sep24`,
    kycServer: `https://${HOME}/sep12`,
    quoteServer: null,
    directPayment: null,
  },
  ...changes,
})

interface ContractTrick {
  values?: Record<string, string>
  contract?: string
  call?: string
  /** Who signs for the anchor. */
  server?: Keypair
  network?: string
  furtherCall?: boolean
  change?: (entries: xdr.SorobanAuthorizationEntry[]) => xdr.SorobanAuthorizationEntry[]
}
const contractEntries = async (trick: ContractTrick = {}): Promise<xdr.SorobanAuthorizationEntry[]> => {
  const values = {
    account: contractAccount,
    home_domain: HOME,
    nonce: '7',
    web_auth_domain: HOME,
    web_auth_domain_account: anchorKey.publicKey(),
    ...trick.values,
  }
  const args = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
  const call = new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
      new xdr.InvokeContractArgs({
        contractAddress: Address.fromString(trick.contract ?? webAuthContract).toScAddress(),
        functionName: trick.call ?? 'web_auth_verify',
        args: [
          xdr.ScVal.scvMap(
            args.map(
              ([name, value]) =>
                new xdr.ScMapEntry({
                  key: nativeToScVal(name, { type: 'symbol' }),
                  val: nativeToScVal(value, { type: 'string' }),
                }),
            ),
          ),
        ],
      }),
    ),
    subInvocations: [],
  })
  const rootInvocation = trick.furtherCall
    ? new xdr.SorobanAuthorizedInvocation({ function: call.function, subInvocations: [call] })
    : call
  const [own, server] = [contractAccount, values.web_auth_domain_account].map(
    address =>
      new xdr.SorobanAuthorizationEntry({
        credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(
          new xdr.SorobanAddressCredentials({
            address: Address.fromString(address).toScAddress(),
            nonce: 5n,
            signatureExpirationLedger: 0,
            signature: xdr.ScVal.scvVoid(),
          }),
        ),
        rootInvocation,
      }),
  ) as [xdr.SorobanAuthorizationEntry, xdr.SorobanAuthorizationEntry]
  const entries = [own, await authorize(server, trick.server ?? anchorKey, trick.network ?? PASSPHRASE)]
  return trick.change ? trick.change(entries) : entries
}
const authorize = (entry: xdr.SorobanAuthorizationEntry, by: Keypair, network: string) =>
  authorizeEntry(
    entry,
    async (_preimage, payload) => ({
      signatureScVal: xdr.ScVal.scvVec([
        nativeToScVal({ public_key: by.rawPublicKey(), signature: by.sign(payload) }),
      ]),
    }),
    100,
    network,
  )
const contractChallenge = async (trick?: ContractTrick): Promise<string> =>
  xdr.encodeArray(xdr.SorobanAuthorizationEntry, await contractEntries(trick), 'base64')
const contractSigner: Signer = {
  address: contractAccount,
  sign: async (entry, { networkPassphrase }) => {
    signed.push(entry)
    const own = xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64')
    return (await authorize(own, key, networkPassphrase)).toXdr('base64')
  },
}

let signed: string[]
const signer: Signer = {
  address: key.publicKey(),
  sign: (xdr, { networkPassphrase }) => {
    signed.push(xdr)
    const transaction = TransactionBuilder.fromXdr(xdr, networkPassphrase)
    transaction.sign(key)
    return transaction.toXdr()
  },
}
const walletWith = (changes: Partial<ConstructorParameters<typeof Wallet>[0]> = {}) =>
  new Wallet({
    aggregator: 'https://aggregator.example/',
    networkPassphrase: PASSPHRASE,
    signer,
    fetch: fakeFetch,
    backoffMs: 1,
    ...changes,
  })

beforeEach(() => {
  asked = []
  signed = []
  let tokens = 0
  routes = {
    'POST /transactions/start': () => json(handoff()),
    'GET /auth': ({ url }) => json({ transaction: challengeOf(url.searchParams.get('account') ?? '') }),
    'POST /auth': () => json({ token: `token-${++tokens}` }),
    'GET /sep45': async () => json({ authorization_entries: await contractChallenge() }),
    'POST /sep45': () => json({ token: `token-${++tokens}` }),
    'POST /sep24/transactions/deposit/interactive': () => json({ id: 't1', url: `https://${HOME}/page` }),
    'GET /sep24/transaction': () => json({ transaction: { id: 't1', kind: 'deposit', status: 'completed' } }),
    'GET /sep12/customer': () => json({ status: 'ACCEPTED' }),
  }
})

const connect = (wallet = walletWith()) => wallet.connect({ anchorId: 'mumbai' })

describe('logging in', () => {
  it('signs the challenge of the anchor that routing returned, once for many calls', async () => {
    const session = await connect()
    expect(asked.at(-1)?.body).toEqual({ anchorId: 'mumbai', account: key.publicKey() })
    await Promise.all([session.customer(), session.customer()])
    expect(signed).toHaveLength(1)
    expect(asked.at(-1)?.headers.get('authorization')).toBe('Bearer token-1')
    const sent = asked.find(({ method, url }) => method === 'POST' && url.pathname === '/auth')
    expect(
      WebAuth.verifyChallengeTxSigners(
        sent?.body.transaction ?? '',
        anchorKey.publicKey(),
        PASSPHRASE,
        [key.publicKey()],
        HOME,
        HOME,
      ),
    ).toEqual([key.publicKey()])
  })

  it.each<[string, Trick]>([
    ['from another server', { server: Keypair.random() }],
    ['for another account', { account: Keypair.random().publicKey() }],
    ['for another home domain', { home: 'other.example' }],
    ['of another login server', { webAuthDomain: 'other.example' }],
    ['of another network', { network: 'Public Global Stellar Network ; September 2015' }],
    ['with a memo that was not asked for', { memo: '7' }],
    ['that names a client domain', { clientDomain: 'wallet.example' }],
  ])('does not sign a challenge %s', async (_what, trick) => {
    routes['GET /auth'] = () => json({ transaction: challengeOf(key.publicKey(), trick) })
    await expect((await connect()).customer()).rejects.toBeInstanceOf(ChallengeError)
    expect(signed).toEqual([])
    expect(count('POST /auth')).toBe(0)
  })

  it.each([
    ['its signer took so long', 400, 'the challenge has expired'],
    ['its clock is behind', 400, 'the challenge is not valid yet: check the clocks of both machines'],
    ['a clock was set', 401, 'Transaction is not within range of the specified timebounds'],
  ])('answers another challenge where the first has ended since %s, once', async (_why, status, error) => {
    const logIn = routes['POST /auth']!
    const refuse = () => json({ error }, status)
    routes['POST /auth'] = one => (count('POST /auth') === 1 ? refuse() : logIn(one))
    expect(await (await connect()).customer()).toEqual({ status: 'ACCEPTED' })
    expect([count('GET /auth'), signed.length]).toEqual([2, 2])
    routes['POST /auth'] = refuse
    await expect((await connect()).customer()).rejects.toMatchObject({ status })
    expect(count('GET /auth')).toBe(4)
  })

  it.each(['the challenge was used already', 'the account is not approved yet'])(
    'signs no second challenge where the first was refused since %s',
    async error => {
      routes['POST /auth'] = () => json({ error }, 400)
      await expect((await connect()).customer()).rejects.toMatchObject({ status: 400 })
      expect(count('GET /auth')).toBe(1)
    },
  )

  it('does not sign a payment that is presented as a challenge', async () => {
    const payment = new TransactionBuilder(new Account(key.publicKey(), '5'), {
      fee: BASE_FEE,
      networkPassphrase: PASSPHRASE,
    })
      .addOperation(
        Operation.payment({ destination: anchorKey.publicKey(), asset: Asset.native(), amount: '100' }),
      )
      .setTimeout(300)
      .build()
    payment.sign(anchorKey)
    routes['GET /auth'] = () => json({ transaction: payment.toXdr() })
    await expect((await connect()).customer()).rejects.toBeInstanceOf(ChallengeError)
    expect(signed).toEqual([])
  })

  it('sends nothing where the signer returned another transaction', async () => {
    const other: Signer = { ...signer, sign: () => challengeOf(key.publicKey()) }
    await expect((await connect(walletWith({ signer: other }))).customer()).rejects.toThrow(
      'another transaction',
    )
    expect(count('POST /auth')).toBe(0)
  })

  it('tells customers of one account apart by memo', async () => {
    routes['GET /auth'] = ({ url }) =>
      json({ transaction: challengeOf(key.publicKey(), { memo: url.searchParams.get('memo') ?? '' }) })
    const session = await walletWith().connect({ anchorId: 'mumbai' }, { memo: '42' })
    expect(await session.customer()).toEqual({ status: 'ACCEPTED' })
  })

  it('continues for other calls when the call that began it is aborted', async () => {
    const session = await connect()
    const stop = new AbortController()
    const left = session.customer({ signal: stop.signal })
    const stays = session.customer()
    stop.abort(new Error('the customer left'))
    await expect(left).rejects.toThrow('the customer left')
    expect(await stays).toEqual({ status: 'ACCEPTED' })
    expect(signed).toHaveLength(1)
  })

  it('logs in again once a token has ended, and gives up when that does not help', async () => {
    const session = await connect()
    routes['GET /sep12/customer'] = ({ headers }) =>
      headers.get('authorization') === 'Bearer token-2'
        ? json({ status: 'ACCEPTED' })
        : json({ error: 'expired', type: 'authentication_required' }, 403)
    expect(await session.customer()).toEqual({ status: 'ACCEPTED' })
    routes['GET /sep12/customer'] = () => json({ error: 'no' }, 403)
    await expect(session.customer()).rejects.toMatchObject({ status: 403, code: 'anchor-refused' })
    expect(count('POST /auth')).toBe(3)
  })

  it.each<[string, Partial<Handoff>]>([
    ['of another network', { networkPassphrase: 'Another' }],
    ['without a signing key', { signingKey: null }],
  ])('refuses an anchor %s before it asks it anything', async (_what, changes) => {
    routes['POST /transactions/start'] = () => json(handoff(changes))
    await expect(connect()).rejects.toBeInstanceOf(UnsupportedError)
    expect(asked).toHaveLength(1)
  })

  it('sends no token over plain http, but on the own machine', async () => {
    const over = (webAuth: string) => handoff({ endpoints: { ...handoff().endpoints, webAuth } })
    routes['POST /transactions/start'] = () => json(over(`http://${HOME}/auth`))
    await expect((await connect()).customer()).rejects.toThrow('not an https address')
    routes['POST /transactions/start'] = () => json(over('http://mumbai.anchors.localhost/auth'))
    routes['GET /auth'] = () =>
      json({ transaction: challengeOf(key.publicKey(), { webAuthDomain: 'mumbai.anchors.localhost' }) })
    expect(await (await connect()).customer()).toEqual({ status: 'ACCEPTED' })
  })
})

describe('logging in a contract account', () => {
  const session = (changes: Partial<Signer> = {}) =>
    connect(walletWith({ signer: { ...contractSigner, ...changes } }))

  it('has its entry signed, and sends it with the anchor’s', async () => {
    expect(await (await session()).customer()).toEqual({ status: 'ACCEPTED' })
    expect(signed).toHaveLength(1)
    const [request, answer] = asked.filter(({ url }) => url.pathname === '/sep45')
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({
      account: contractAccount,
      home_domain: HOME,
    })
    const [own, server] = xdr.decodeArray(
      xdr.SorobanAuthorizationEntry,
      answer?.body.authorization_entries ?? '',
      'base64',
    )
    const [unsigned, anchors] = await contractEntries()
    expect(own?.toXdr('base64')).toBe(
      unsigned && (await authorize(unsigned, key, PASSPHRASE)).toXdr('base64'),
    )
    expect(server?.toXdr('base64')).toBe(anchors?.toXdr('base64'))
    expect(count('GET /auth')).toBe(0)
  })

  it.each<[string, ContractTrick]>([
    ['that a stranger signed', { server: Keypair.random() }],
    ['of another server', { values: { web_auth_domain_account: Keypair.random().publicKey() } }],
    ['for another account', { values: { account: webAuthContract } }],
    ['for another home domain', { values: { home_domain: 'other.example' } }],
    ['of another login server', { values: { web_auth_domain: 'other.example' } }],
    [
      'that names a client domain',
      { values: { client_domain: 'wallet.example', client_domain_account: anchorKey.publicKey() } },
    ],
    ['of another contract', { contract: contractAccount }],
    ['that calls another function', { call: 'transfer' }],
    ['that makes further calls', { furtherCall: true }],
    ['of another network', { network: 'Public Global Stellar Network ; September 2015' }],
    ['without the anchor’s entry', { change: ([own]) => (own ? [own] : []) }],
    ['without the account’s entry', { change: ([, server]) => (server ? [server] : []) }],
    ['with a third entry', { change: ([own, server]) => (own && server ? [own, server, own] : []) }],
  ])('does not sign a challenge %s', async (_what, trick) => {
    routes['GET /sep45'] = async () => json({ authorization_entries: await contractChallenge(trick) })
    await expect((await session()).customer()).rejects.toBeInstanceOf(ChallengeError)
    expect(signed).toEqual([])
    expect(count('POST /sep45')).toBe(0)
  })

  it('does not sign an entry for another call than the anchor signed', async () => {
    const [own] = await contractEntries()
    const [, other] = await contractEntries({ values: { nonce: '8' } })
    const entries = own && other ? [own, other] : []
    routes['GET /sep45'] = () =>
      json({ authorization_entries: xdr.encodeArray(xdr.SorobanAuthorizationEntry, entries, 'base64') })
    await expect((await session()).customer()).rejects.toThrow('different calls')
    expect(signed).toEqual([])
  })

  it.each<[string, () => Promise<string> | string]>([
    ['no entry', () => 'AAAA'],
    [
      'the entry of another challenge',
      async () => (await contractEntries({ values: { nonce: '8' } }))[0]!.toXdr('base64'),
    ],
    ['the anchor’s entry', async () => (await contractEntries())[1]!.toXdr('base64')],
  ])('sends nothing where the signer returned %s', async (_what, sign) => {
    await expect((await session({ sign })).customer()).rejects.toBeInstanceOf(ChallengeError)
    expect(count('POST /sep45')).toBe(0)
  })

  it('is refused where the anchor has no such login, and with a memo', async () => {
    const wallet = walletWith({ signer: contractSigner })
    const withMemo = await wallet.connect({ anchorId: 'mumbai' }, { memo: '7' })
    await expect(withMemo.customer()).rejects.toThrow('without a memo')
    for (const changes of [
      { webAuthContract: null },
      { endpoints: { ...handoff().endpoints, webAuthForContracts: null } },
    ]) {
      routes['POST /transactions/start'] = () => json(handoff(changes))
      await expect((await session()).customer()).rejects.toBeInstanceOf(UnsupportedError)
    }
    expect(count('GET /sep45')).toBe(0)
  })

  it('has its SEP-6 deposits pay it, by the anchor’s answer', async () => {
    routes['GET /sep6/deposit'] = () => json({ error: 'the anchor cannot pay this contract account' }, 400)
    const refused = (await session()).deposit({ asset: 'LOTUS', protocol: 'sep6' })
    await expect(refused).rejects.toThrow('cannot pay this contract account')
    expect(asked.at(-1)?.url.searchParams.get('account')).toBe(contractAccount)
    routes['GET /sep6/deposit'] = () => json({ id: 't1' })
    const transfer = await (await session()).deposit({ asset: 'LOTUS', protocol: 'sep6' })
    expect(JSON.parse(JSON.stringify(transfer))).toMatchObject({ id: 't1', account: contractAccount })
  })

  it('leaves it to the wallet which account a SEP-6 deposit pays, and is continued from its state', async () => {
    routes['GET /sep6/deposit'] = () => json({ id: 't2' })
    routes['GET /sep6/transaction'] = () => json({ transaction: { id: 't2', status: 'completed' } })
    const fields = { account: key.publicKey() }
    const transfer = await (await session()).deposit({ asset: 'LOTUS', protocol: 'sep6', fields })
    expect(asked.at(-1)?.url.searchParams.get('account')).toBe(key.publicKey())
    const resumed = walletWith({ signer: contractSigner }).resume(JSON.stringify(transfer))
    expect(await resumed.read()).toMatchObject({ status: 'completed' })
  })
})

describe('requests', () => {
  it('are repeated while a server is busy or cannot be reached', async () => {
    const answers: Respond[] = [
      () => json({}, 503),
      () => json({ code: 'too-many-requests', detail: 'Slow down.' }, 429, { 'retry-after': '0' }),
      () => {
        throw new TypeError('fetch failed')
      },
      () => json({ quotes: [{ slug: 'mumbai' }] }),
    ]
    routes['POST /quotes/compare'] = one => answers.shift()!(one)
    const wish = { amount: '1', asset: 'LOTUS', rail: 'UPI', currency: 'INR' }
    expect(await walletWith().compare(wish)).toEqual([{ slug: 'mumbai' }])
    expect(asked).toHaveLength(4)
  })

  it('carry one idempotency key through their repetitions', async () => {
    const answers = [json({}, 503), json({ id: 'q1' }, 201)]
    routes['POST /transfer-plans'] = () => answers.shift()!
    const ends = { from: { currency: 'INR', rail: 'UPI' }, to: { currency: 'EUR', rail: 'SEPA' } }
    expect(await walletWith().plan({ amount: '1', ...ends })).toEqual({ id: 'q1' })
    const keys = asked.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[0]).toMatch(/^.{16,}$/)
    expect(keys[1]).toBe(keys[0])
  })

  it('that begin a transfer are not repeated after a failure that may have had an effect', async () => {
    const session = await connect()
    routes['POST /sep24/transactions/deposit/interactive'] = () => json({ error: 'down' }, 503)
    await expect(session.deposit({ asset: 'LOTUS' })).rejects.toMatchObject({ status: 503, retryable: true })
    routes['GET /sep6/deposit'] = () => json({ error: 'down' }, 503)
    await expect(session.deposit({ asset: 'LOTUS', protocol: 'sep6' })).rejects.toBeInstanceOf(RefusedError)
    expect(count('POST /sep24/transactions/deposit/interactive')).toBe(1)
    expect(count('GET /sep6/deposit')).toBe(1)
  })

  it('end in errors that say what happened', async () => {
    const problem = { code: 'no-eligible-anchor', detail: 'Nobody can.' }
    routes['POST /route'] = () => json(problem, 404, { 'x-request-id': 'r1' })
    const wish = { amount: '1', asset: 'LOTUS', rail: 'UPI' }
    await expect(walletWith().route(wish)).rejects.toMatchObject({
      name: 'RefusedError',
      code: 'no-eligible-anchor',
      message: 'Nobody can.',
      status: 404,
      requestId: 'r1',
      retryable: false,
    })
    routes['POST /route'] = () => {
      throw new TypeError('fetch failed')
    }
    await expect(walletWith({ retries: 1 }).route(wish)).rejects.toBeInstanceOf(UnreachableError)
    // As Node says it of an anchor of a demo on this machine, whose name only browsers and curl know.
    routes['POST /route'] = () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) })
    }
    const local = walletWith({ retries: 0, aggregator: 'http://lotus.anchors.localhost:8080' })
    await expect(local.route(wish)).rejects.toThrow('Add "127.0.0.1 lotus.anchors.localhost" to /etc/hosts')
    routes['POST /route'] = () => new Response('<html>')
    await expect(walletWith().route(wish)).rejects.toMatchObject({ code: 'answer-invalid' })
  })

  it('end at once when they are aborted, also between repetitions', async () => {
    const reason = new Error('the customer left')
    const stop = new AbortController()
    routes['POST /route'] = () => {
      setTimeout(() => stop.abort(reason))
      return json({}, 503, { 'retry-after': '3600' })
    }
    const wish = { amount: '1', asset: 'LOTUS', rail: 'UPI' }
    await expect(walletWith().route(wish, { signal: stop.signal })).rejects.toBe(reason)
    await expect(walletWith().route(wish, { signal: stop.signal })).rejects.toBe(reason)
    expect(asked).toHaveLength(1)
  })

  it('read every page of the registry', async () => {
    routes['GET /anchors'] = ({ url }) =>
      url.searchParams.get('cursor') === 'b'
        ? json({ anchors: [{ id: '2' }] })
        : json({ anchors: [{ id: '1' }] }, 200, { link: '</anchors?rail=UPI&cursor=b>; rel="next"' })
    const ids: string[] = []
    for await (const { id } of walletWith().anchors({ rail: 'UPI', available: true })) ids.push(id)
    expect(ids).toEqual(['1', '2'])
    expect(asked.map(({ url }) => url.search)).toEqual([
      '?rail=UPI&available=true',
      '?rail=UPI&available=true&cursor=b',
    ])
  })
})

describe('a transfer', () => {
  const start = async () => (await connect()).deposit({ asset: 'LOTUS:GISSUER', amount: '5' })
  const reports = (...transactions: (Partial<Transaction> | number)[]) => {
    routes['GET /sep24/transaction'] = () => {
      const next = transactions.length > 1 ? transactions.shift()! : transactions[0]!
      return typeof next === 'number' ? json({ error: 'down' }, next) : json({ transaction: next })
    }
  }

  it('begins at the anchor with what was asked for', async () => {
    const { id, url } = await start()
    expect([id, url]).toEqual(['t1', `https://${HOME}/page`])
    expect(asked.at(-1)?.body).toEqual({ asset_code: 'LOTUS', asset_issuer: 'GISSUER', amount: '5' })
  })

  it('names the issuer by SEP-6 where the anchor has several assets with the code', async () => {
    routes['GET /sep6/deposit'] = () => json({ id: 't1' })
    const codeFor = async (...codes: string[]) => {
      routes['GET /sep6/info'] = () => json({ deposit: Object.fromEntries(codes.map(code => [code, {}])) })
      await (await connect()).deposit({ asset: 'LOTUS:GISSUER', protocol: 'sep6' })
      return asked.at(-1)?.url.searchParams.get('asset_code')
    }
    expect(await codeFor('LOTUS', 'LOTUSES:GISSUER')).toBe('LOTUS')
    expect(await codeFor('LOTUS', 'LOTUS:GOTHER')).toBe('LOTUS:GISSUER')
    expect(asked.at(-1)?.url.searchParams.has('asset_issuer')).toBe(false)
  })

  it('calls XLM native, as a registry lists it or as it is', async () => {
    routes['GET /sep6/deposit'] = () => json({ id: 't1' })
    for (const asset of ['XLM:native', 'native']) {
      await (await connect()).deposit({ asset })
      expect(asked.at(-1)?.body).toEqual({ asset_code: 'native' })
      await (await connect()).deposit({ asset, protocol: 'sep6' })
      expect(asked.at(-1)?.url.searchParams.get('asset_code')).toBe('native')
    }
  })

  it('is watched through its changes and outages until it has ended', async () => {
    reports(
      { status: 'incomplete' },
      { status: 'incomplete' },
      ...Array<number>(6).fill(503),
      { status: 'pending_anchor' },
      { status: 'completed' },
    )
    const seen: string[] = []
    for await (const { status } of (await start()).watch({ everyMs: 1 })) seen.push(status)
    expect(seen).toEqual(['incomplete', 'pending_anchor', 'completed'])
  })

  it('stops being watched when the anchor does not know it, or when it is aborted', async () => {
    const transfer = await start()
    reports(404)
    await expect(transfer.until(['completed'], { everyMs: 1 })).rejects.toMatchObject({ status: 404 })
    reports({ status: 'incomplete' })
    const stop = new AbortController()
    const watching = transfer.watch({ signal: stop.signal, everyMs: 3_600_000 })
    await watching.next()
    const next = watching.next()
    stop.abort(new Error('closed'))
    await expect(next).rejects.toThrow('closed')
  })

  it('is continued from its state, which holds no token and no key', async () => {
    const saved = JSON.stringify(await start())
    expect(saved).not.toContain('token-1')
    expect(saved).not.toContain(key.secret())
    const resumed = walletWith().resume(saved)
    expect(await resumed.read()).toMatchObject({ id: 't1', status: 'completed' })
    expect(count('POST /auth')).toBe(2)
    const stranger = { address: Keypair.random().publicKey(), sign: signer.sign }
    expect(() => walletWith({ signer: stranger }).resume(saved)).toThrow('another account')
    expect(() => walletWith().resume(saved.replace('"version":1', '"version":2'))).toThrow('another version')
  })

  it('says what a withdrawal is paid with once the anchor waits for it', () => {
    const transaction = {
      id: 't1',
      kind: 'withdrawal',
      status: 'pending_user_transfer_start',
      amount_in: '10',
      amount_in_asset: 'stellar:LOTUS:GISSUER',
      withdraw_anchor_account: 'GANCHOR',
      withdraw_memo: '7',
      withdraw_memo_type: 'id',
    }
    const payment = {
      destination: 'GANCHOR',
      amount: '10',
      asset: 'LOTUS:GISSUER',
      memo: '7',
      memoType: 'id',
    }
    expect(paymentOf(transaction)).toEqual(payment)
    expect(() => paymentOf({ ...transaction, status: 'completed' })).toThrow('nothing to pay')
  })
})

it('describes answers as the contracts do', () => {
  expectTypeOf<RegistryEntry>().toExtend<Anchor>()
  expectTypeOf<WireQuote>().toExtend<Quote>()
  expectTypeOf<RouteAnswer>().toExtend<Route>()
  expectTypeOf<WirePlan>().toExtend<TransferPlan>()
  expectTypeOf<SepTransaction>().toExtend<Transaction>()
  expectTypeOf<Handoff['endpoints']>().toExtend<AnchorAddress['endpoints']>()
})
