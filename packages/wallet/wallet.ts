import type { Signer } from './challenge.ts'
import { UnsupportedError, WalletError } from './errors.ts'
import { createRequest, type CallOptions, type Request, type RequestSettings } from './requests.ts'
import { AnchorSession, type TransferWish } from './session.ts'
import type { Transfer, TransferState } from './transfer.ts'
import type {
  Anchor,
  AnchorAddress,
  AnchorFilter,
  Offer,
  PlanWish,
  Quote,
  Route,
  TransferPlan,
  TrustlineState,
  Wish,
} from './types.ts'

export type { Signer } from './challenge.ts'
export { ChallengeError, RefusedError, UnreachableError, UnsupportedError, WalletError } from './errors.ts'
export type { CallOptions, RequestSettings } from './requests.ts'
export type { AnchorSession, TransferWish } from './session.ts'
export { paymentOf } from './transfer.ts'
export type { Transfer, TransferState, WithdrawalPayment } from './transfer.ts'
export type * from './types.ts'

export interface WalletSettings extends RequestSettings {
  /** The aggregator's address, such as `https://aggregator.example.org`. */
  aggregator: string
  /** The network that the wallet is on. Anchors of other networks are refused. */
  networkPassphrase: string
  /** Needed where the wallet logs in. */
  signer?: Signer
}

/** By which anchor an amount is moved: one of the quote's, the decision's or the anchor's own id (or its domain). */
export type Selection = { quoteId: string } | { decisionId: string } | { anchorId: string }

/** A wallet's view of every anchor that the aggregator knows. */
export class Wallet {
  readonly #settings: WalletSettings
  readonly #aggregator: string
  readonly #request: Request

  constructor(settings: WalletSettings) {
    this.#settings = settings
    this.#aggregator = settings.aggregator.replace(/\/$/, '')
    this.#request = createRequest(settings)
  }

  /** Every registered anchor that fits, newest first; reads further pages as they are needed. */
  async *anchors(filter: AnchorFilter = {}, { signal }: CallOptions = {}): AsyncGenerator<Anchor, void> {
    const values = Object.entries(filter).filter(([, value]) => value !== undefined)
    const query = Object.fromEntries(values.map(([name, value]) => [name, String(value)]))
    let cursor: string | undefined
    do {
      const { body, headers } = await this.#request<{ anchors: Anchor[] }>(`${this.#aggregator}/anchors`, {
        signal,
        query: { ...query, cursor },
      })
      yield* body.anchors
      const next = /<([^<>]+)>;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1]
      cursor = next ? (new URL(next, this.#aggregator).searchParams.get('cursor') ?? undefined) : undefined
    } while (cursor)
  }

  /** What the best anchor (or `anchorId`) takes; good for 300 seconds. `firm` reserves the amount there. */
  quote(
    wish: Wish & { currency: string; anchorId?: string; firm?: boolean },
    options: CallOptions = {},
  ): Promise<Quote> {
    const headers = { 'idempotency-key': randomKey() }
    return this.#post<Quote>('/quotes', wish, { ...options, headers })
  }

  /** What each anchor would take, cheapest first. */
  async compare(wish: Wish & { currency: string }, options: CallOptions = {}): Promise<Offer[]> {
    return (await this.#post<{ quotes: Offer[] }>('/quotes/compare', wish, options)).quotes
  }

  /** The best anchor by the routing policy, and why. */
  route(wish: Wish, options: CallOptions = {}): Promise<Route> {
    return this.#post<Route>('/route', wish, options)
  }

  /** Whether an account can receive an asset (`CODE:ISSUER`), to say so before the customer pays. It needs no login. */
  async trustline(
    asked: { account: string; asset: string; amount?: string },
    { signal }: CallOptions = {},
  ): Promise<TrustlineState> {
    const { account, asset, amount } = asked
    const query = { account, asset, amount }
    return (await this.#request<TrustlineState>(`${this.#aggregator}/trustlines`, { signal, query })).body
  }

  /** From rail to rail: at which anchor to deposit, at which to withdraw, and the path between, the most received first. */
  plan(wish: PlanWish, options: CallOptions = {}): Promise<TransferPlan> {
    const headers = { 'idempotency-key': randomKey() }
    return this.#post<TransferPlan>('/transfer-plans', wish, { ...options, headers })
  }

  /** A session at an anchor. It logs in with its first call. `memo` tells customers of a shared account apart. */
  async connect(selection: Selection, options: CallOptions & { memo?: string } = {}): Promise<AnchorSession> {
    const { memo, signal } = options
    const account = this.#settings.signer?.address
    const address = await this.#post<AnchorAddress>(
      '/transactions/start',
      { ...selection, account },
      { signal },
    )
    return this.#session(address, memo)
  }

  /** Routes, connects and begins a deposit. */
  deposit(wish: Wish & Omit<TransferWish, 'asset' | 'amount'>): Promise<Transfer> {
    return this.#move('deposit', wish)
  }

  /** Routes, connects and begins a withdrawal. */
  withdraw(wish: Wish & Omit<TransferWish, 'asset' | 'amount'>): Promise<Transfer> {
    return this.#move('withdraw', wish)
  }

  /** Continues a transfer from its state, as `JSON.stringify(transfer)` wrote it. */
  resume(saved: TransferState | string): Transfer {
    const state = typeof saved === 'string' ? (JSON.parse(saved) as TransferState) : saved
    if (state.version !== 1)
      throw new WalletError('state-unknown', 'The saved transfer is from another version of this package.')
    if (state.account !== this.#settings.signer?.address)
      throw new WalletError('state-foreign', 'The saved transfer is of another account than the signer’s.')
    return this.#session(state.anchor, state.memo).transfer(state)
  }

  async #move(
    kind: 'deposit' | 'withdraw',
    wish: Wish & Omit<TransferWish, 'asset' | 'amount'>,
  ): Promise<Transfer> {
    const { protocol, quoteId, fields, signal, ...asked } = wish
    const { decisionId } = await this.route(asked, { signal })
    const session = await this.connect({ decisionId }, { signal })
    const { amount, asset } = asked
    return session[kind]({ amount, asset, protocol, quoteId, fields, signal })
  }

  #session(address: AnchorAddress, memo: string | undefined): AnchorSession {
    const { signer, networkPassphrase } = this.#settings
    if (!signer) throw new WalletError('signer-missing', 'Give the wallet a signer to log in with.')
    const { anchorId, homeDomain, signingKey, endpoints, webAuthContract } = address
    if (address.networkPassphrase !== networkPassphrase)
      throw new UnsupportedError(`${homeDomain} is on another network than the wallet.`)
    if (!signingKey) throw new UnsupportedError(`The signing key of ${homeDomain} is not known.`)
    const anchor = { anchorId, homeDomain, signingKey, networkPassphrase, webAuthContract, endpoints }
    return new AnchorSession({ anchor, signer, request: this.#request, memo })
  }

  /** None of these has an effect that a repetition would double. */
  async #post<T>(
    path: string,
    json: unknown,
    options: CallOptions & { headers?: Record<string, string> },
  ): Promise<T> {
    const url = `${this.#aggregator}${path}`
    return (await this.#request<T>(url, { ...options, method: 'POST', json, repeatable: true })).body
  }
}

/** Names a request, so that its repetition has no second effect. It need not be secret. */
const randomKey = (): string =>
  Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 10)).join('')
