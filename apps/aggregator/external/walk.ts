import type { Clock } from '@windlass/service/work/clock.ts'
import { amountOf, formatAmount, type Amount } from '@windlass/money/amount.ts'
import { outboundFailure, type Outbound } from '@windlass/service/outbound/outbound.ts'
import {
  MAX_DISCOVERY_BYTES,
  parseDiscovery,
  plainEndpoints,
  type Currency,
  type Discovery,
} from '../discovery/discovery-file.ts'
import {
  fieldsOf,
  isDeposited,
  isWithdrawn,
  limitsOf,
  offeredAssets,
  offerOf,
  payable,
  quotedAs,
  readPrice,
  table,
  type Asset,
  type Infos,
  type NamedPrice,
  type Offer,
  type Side,
} from './offer.ts'

/** What a wallet does at an anchor before its customer does anything, in this order. */
type WalkStep = 'file' | 'challenge' | 'info' | 'start' | 'price'

export interface StepResult {
  step: WalkStep
  ok: boolean
  latencyMs: number
  /** In a word, such as `timeout`, `status-503` or `challenge-not-signed`. */
  failure?: string
}

/** What a wallet finds at an anchor. An anchor without prices can still be used. */
export interface Walk {
  available: boolean
  failure?: string
  latencyMs: number
  steps: StepResult[]
  signingKey: string | null
  /** Null where a step before the prices failed. */
  offer: Offer | null
}

export interface Walked {
  domain: string
  /** The SIGNING_KEY that is known; null: whichever the file has. */
  signingKey: string | null
  /** The network it has to be on; absent: any. */
  networkPassphrase?: string
  /** Assets: a deposit of the first that the anchor takes now is started (SEP-24), as far as its page; absent: none. */
  startsWith?: readonly Asset[]
}

export interface WalkDeps {
  outbound: Outbound
  clock: Clock
  /** Where a domain serves its discovery file. */
  urlOf(domain: string): string
}

/** For the whole walk. */
const WALK_MS = 20_000
const REQUEST_MS = 5_000
const INFO_BYTES = 256 * 1024
const SMALL_BYTES = 64 * 1024
/** Pairs of asset and currency that are priced, each for two amounts, and as many for withdrawals. */
const MOST_PAIRS = 8

class StepFailed extends Error {
  /** What the anchor wrote, where it refused. */
  readonly answer: string

  constructor(failure: string, answer = '') {
    super(failure)
    this.answer = answer
  }
}

/**
 * Does at an external anchor what a wallet would: reads its discovery file, asks for a SEP-10 challenge for an account
 * made for this walk and verifies that SIGNING_KEY signed it, reads `/info` of SEP-6, 24, 31 and 38, and asks for
 * prices. Every answer is bounded in size and time; never throws.
 */
export async function walkAsWallet(deps: WalkDeps, walked: Walked): Promise<Walk> {
  const startedAt = performance.now()
  const steps: StepResult[] = []
  const timed = async <T>(step: WalkStep, act: () => Promise<T>): Promise<T> => {
    const from = performance.now()
    const took = () => Math.round(performance.now() - from)
    try {
      const result = await act()
      steps.push({ step, ok: true, latencyMs: took() })
      return result
    } catch (error) {
      const failure = error instanceof StepFailed ? error.message : outboundFailure(error)
      steps.push({ step, ok: false, latencyMs: took(), failure })
      throw error
    }
  }
  const request = requester(deps.outbound, startedAt)
  let discovery: Discovery | null = null
  let offer: Offer | null = null
  try {
    const file = await timed('file', () => readFile(request, deps.urlOf(walked.domain), walked))
    discovery = file
    const login = await timed('challenge', () => askForChallenge(request, file, walked, deps.clock))
    const infos = await timed('info', () => readInfos(request, file))
    const { startsWith: assets } = walked
    if (assets && file.endpoints.transferServerSep24)
      await timed('start', () => startAnyDeposit(request, file, openFirst(infos, assets), login))
    const prices = file.endpoints.quoteServer
      ? await timed('price', () => readPrices(request, file, infos, login)).catch(() => [])
      : []
    offer = offerOf(file, infos, ({ code, issuer }, wanted) =>
      prices.flatMap(({ side, pair, named }) =>
        side === wanted && pair.code === code && pair.issuer === issuer ? named : [],
      ),
    )
  } catch {
    // The steps record which failed and why.
  }
  const failed = steps.find(({ step, ok }) => !ok && step !== 'price')
  const failure = failed?.failure ?? (offer ? undefined : 'nothing-offered')
  return {
    available: failure === undefined,
    ...(failure === undefined ? {} : { failure }),
    latencyMs: Math.round(performance.now() - startedAt),
    steps,
    signingKey: discovery?.signingKey ?? null,
    offer,
  }
}

interface RequestOptions {
  maxBytes: number
  token?: string
  /** Posted as JSON. */
  body?: object
}
type Request = (url: string, options: RequestOptions) => Promise<string>

function requester(outbound: Outbound, startedAt: number): Request {
  return async (url, { maxBytes, token, body }) => {
    const left = WALK_MS - (performance.now() - startedAt)
    if (left <= 0) throw new StepFailed('timeout')
    const answer = await outbound.request(url, {
      timeout: Math.min(REQUEST_MS, left),
      maxBytes,
      headers: {
        // Some servers refuse to send their TOML to clients that accept JSON alone.
        accept: 'application/json, */*;q=0.5',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    if (answer.status === 200) return answer.text
    const isRedirect = answer.status >= 300 && answer.status < 400
    throw new StepFailed(isRedirect ? 'redirect' : `status-${answer.status}`, answer.text)
  }
}

async function readFile(request: Request, url: string, walked: Walked): Promise<Discovery> {
  const text = await request(url, { maxBytes: MAX_DISCOVERY_BYTES })
  const discovery = parsed(text)
  const { signingKey, networkPassphrase } = discovery
  const known = walked.signingKey ?? signingKey
  const network = walked.networkPassphrase ?? networkPassphrase
  if (signingKey === null) throw new StepFailed('no-signing-key')
  if (signingKey !== known) throw new StepFailed('another-signing-key')
  if (networkPassphrase !== null && networkPassphrase !== network) throw new StepFailed('another-network')
  if (plainEndpoints(url, discovery).length > 0) throw new StepFailed('endpoint-not-https')
  return discovery
}

function parsed(text: string): Discovery {
  try {
    return parseDiscovery(text)
  } catch {
    throw new StepFailed('not-toml')
  }
}

/** Logs in and returns the token. */
type Login = () => Promise<string>

async function askForChallenge(
  request: Request,
  discovery: Discovery,
  { domain: homeDomain, networkPassphrase: ours }: Walked,
  clock: Clock,
): Promise<Login> {
  const { endpoints, signingKey } = discovery
  if (!endpoints.webAuth || signingKey === null) throw new StepFailed('no-web-auth')
  // Loaded for the first external anchor: most processes have none.
  const [challenges, { generateKey }, { signerFromSeed }] = await Promise.all([
    import('@windlass/stellar/sep10-challenge.ts'),
    import('@windlass/stellar/keys.ts'),
    import('@windlass/stellar/ed25519.ts'),
  ])
  const { readChallenge, saysExpired, signChallenge, ChallengeError, ChallengeTimeError } = challenges
  const { webAuth } = endpoints
  const { publicKey: account, secret } = generateKey()
  const url = withQuery(webAuth, '', { account, home_domain: homeDomain })
  const webAuthDomain = new URL(webAuth).host

  const readOne = async () => {
    const { transaction, network_passphrase: passphrase } = json(
      await request(url, { maxBytes: SMALL_BYTES }),
    )
    // A file may leave its network out; the signature then proves it.
    const networkPassphrase = ours ?? discovery.networkPassphrase ?? passphrase
    if (typeof transaction !== 'string' || typeof networkPassphrase !== 'string') {
      throw new StepFailed('no-challenge')
    }
    const terms = { server: signingKey, networkPassphrase, homeDomain, webAuthDomain }
    const challenge = readChallenge(transaction, terms, clock.now())
    if (challenge.account !== account) throw new StepFailed('challenge-for-another-account')
    return { transaction, networkPassphrase }
  }
  /** Another where a clock was set since the first was issued. */
  const ask = () =>
    readOne()
      .catch((error: unknown) => {
        if (error instanceof ChallengeTimeError) return readOne()
        throw error
      })
      .catch((error: unknown) => {
        throw error instanceof ChallengeError ? new StepFailed('challenge-not-signed') : error
      })
  const answer = async ({ transaction, networkPassphrase }: Awaited<ReturnType<typeof readOne>>) => {
    const body = { transaction: signChallenge(transaction, networkPassphrase, signerFromSeed(secret)) }
    const { token } = json(await request(webAuth, { maxBytes: SMALL_BYTES, body }))
    if (typeof token !== 'string') throw new StepFailed('no-token')
    return token
  }
  const first = await ask()
  return () =>
    answer(first).catch(async (error: unknown) => {
      if (error instanceof StepFailed && saysExpired(error.answer)) return answer(await ask())
      throw error
    })
}

async function readInfos(request: Request, { endpoints }: Discovery): Promise<Infos> {
  const info = async (server: string | null): Promise<unknown> =>
    server === null ? null : json(await request(withQuery(server, '/info', {}), { maxBytes: INFO_BYTES }))
  const [sep24, sep6, sep31, sep38] = await Promise.all([
    info(endpoints.transferServerSep24),
    // Some anchors that serve SEP-24 alone state its address twice.
    info(endpoints.transferServer === endpoints.transferServerSep24 ? null : endpoints.transferServer),
    info(endpoints.directPayment),
    info(endpoints.quoteServer),
  ])
  if (sep24 === null && sep6 === null) throw new StepFailed('no-transfer-server')
  return { sep24, sep6, sep31, sep38 }
}

/** Those that `/info` says can be bought come first. */
function openFirst(infos: Infos, assets: readonly Asset[]): Asset[] {
  const closed = (asset: Asset) => Number(!isDeposited(infos, asset))
  return assets.toSorted((a, b) => closed(a) - closed(b))
}

/** Starts a deposit of the first asset that is not refused: one without a rate may be, at an open anchor. Throws the first refusal. */
async function startAnyDeposit(
  request: Request,
  discovery: Discovery,
  [asset, ...others]: readonly Asset[],
  login: Login,
): Promise<void> {
  if (!asset) return
  const token = await login()
  try {
    await startDeposit(request, discovery, asset, token)
  } catch (refusal) {
    for (const other of others) {
      const isStarted = await startDeposit(request, discovery, other, token).then(
        () => true,
        () => false,
      )
      if (isStarted) return
    }
    throw refusal
  }
}

/** Starts a deposit. Nobody opens its page, so it ends by itself. */
async function startDeposit(
  request: Request,
  { endpoints }: Discovery,
  asset: Asset,
  token: string,
): Promise<void> {
  const url = withQuery(endpoints.transferServerSep24 ?? '', '/transactions/deposit/interactive', {})
  const started = json(await request(url, { maxBytes: SMALL_BYTES, token, body: fieldsOf(asset) }))
  if (typeof started.id !== 'string' || typeof started.url !== 'string') throw new StepFailed('no-page')
}

interface PricedPair {
  side: Side
  pair: Currency
  named: NamedPrice[]
}

/** Live prices for two amounts of each pair. A pair that the anchor refuses has none. */
async function readPrices(
  request: Request,
  discovery: Discovery,
  infos: Infos,
  login: Login,
): Promise<PricedPair[]> {
  const assets = offeredAssets(discovery, infos)
  const pairs = (['deposit', 'withdraw'] as const).flatMap(side => {
    const currencies = payable(infos.sep38, side)
    return assets
      .filter(asset => side === 'deposit' || isWithdrawn(infos, asset))
      .flatMap(asset => currencies.map(currency => ({ side, asset, ...currency })))
      .slice(0, MOST_PAIRS)
  })
  const context = infos.sep24 === null ? 'sep6' : 'sep24'
  // SEP-38 leaves it to the anchor whether a price needs a login.
  let loggedIn: Promise<string> | undefined
  const ask = async (url: string): Promise<string> => {
    try {
      return await request(url, { maxBytes: SMALL_BYTES })
    } catch (error) {
      if (!(error instanceof StepFailed) || !/^status-40[13]$/.test(error.message)) throw error
      loggedIn ??= login()
      return request(url, { maxBytes: SMALL_BYTES, token: await loggedIn })
    }
  }
  const priced = await Promise.all(
    pairs.map(async ({ side, asset, currency, method, country }): Promise<PricedPair> => {
      const [money, units] = [`iso4217:${currency}`, quotedAs(asset)]
      const named = await Promise.all(
        amountsFor(infos, side, asset).map(async amount => {
          const url = withQuery(discovery.endpoints.quoteServer ?? '', '/price', {
            ...(side === 'deposit'
              ? { sell_asset: money, buy_asset: units, buy_amount: formatAmount(amount) }
              : { sell_asset: units, buy_asset: money, sell_amount: formatAmount(amount) }),
            context,
            ...(method === undefined ? {} : { [METHOD[side]]: method }),
            ...(country === undefined ? {} : { country_code: country }),
          })
          return readPrice(json(await ask(url)), side, currency, amount)
        }),
      ).catch(() => [])
      return { side, pair: asset, named: named.flatMap(price => price ?? []) }
    }),
  )
  if (priced.every(({ named }) => named.length === 0)) throw new StepFailed('no-price')
  return priced
}

/** How the money is delivered to the anchor, or from it. */
const METHOD: Record<Side, string> = { deposit: 'sell_delivery_method', withdraw: 'buy_delivery_method' }

/** Two amounts within the limits, or one if they allow no more. */
function amountsFor(infos: Infos, side: Side, asset: Asset): Amount[] {
  const { min, max } = limitsOf(infos, side, asset)
  const within = [10n, 1_000n].map(units => {
    const amount = units * 10n ** 7n
    if (min !== null && amount < min) return min
    return max !== null && amount > max ? max : amount
  })
  return [...new Set(within)].map(amountOf)
}

function withQuery(base: string, path: string, query: Record<string, string>): string {
  const url = new URL(base)
  url.pathname = path === '' ? url.pathname : `${url.pathname.replace(/\/{1,9}$/, '')}${path}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

function json(text: string): Record<string, unknown> {
  try {
    return table(JSON.parse(text))
  } catch {
    throw new StepFailed('not-json')
  }
}
