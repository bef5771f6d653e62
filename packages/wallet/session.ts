import type { Signer } from './challenge.ts'
import { isExpired, RefusedError, UnsupportedError } from './errors.ts'
import { untilAborted, type CallOptions, type Request } from './requests.ts'
import { Transfer, type TransferState } from './transfer.ts'
import type { AnchorAddress, Customer, FirmQuote, Transaction } from './types.ts'

export interface TransferWish extends CallOptions {
  /** `CODE`, or `CODE:ISSUER`. */
  asset: string
  /** In asset units. */
  amount?: string
  /** `sep24` (by default) has the anchor's own pages; with `sep6` the wallet asks for everything itself. */
  protocol?: 'sep24' | 'sep6'
  /** A firm quote's id (SEP-38). */
  quoteId?: string
  /** Further parameters of the SEP, such as `lang`, `type` or `dest`. */
  fields?: Readonly<Record<string, string>>
}

/** What a session is made from. */
export interface SessionParts {
  anchor: AnchorAddress
  signer: Signer
  request: Request
  memo?: string | undefined
}

function assetOf({ asset }: TransferWish): { asset_code: string; asset_issuer?: string } {
  const [code = '', issuer] = asset.split(':')
  if (issuer === 'native') return { asset_code: issuer }
  return { asset_code: code, ...(issuer ? { asset_issuer: issuer } : {}) }
}

/** A wallet's account at one anchor. It logs in with the first call, and again when its token has ended. */
export class AnchorSession {
  readonly anchor: AnchorAddress
  readonly #parts: SessionParts
  #token: Promise<string> | null = null

  constructor(parts: SessionParts) {
    this.anchor = parts.anchor
    this.#parts = parts
  }

  /** The customer's status and what the anchor asks for (SEP-12). */
  customer(options: CallOptions & { query?: Record<string, string> } = {}): Promise<Customer> {
    const url = `${this.#server('kycServer', 'SEP-12')}/customer`
    return this.#ask(url, { signal: options.signal, query: options.query ?? {} })
  }

  /** Sends details by SEP-9 name, or codes as `<field>_verification` (SEP-12). */
  async sendCustomer(fields: Readonly<Record<string, string>>, options: CallOptions = {}): Promise<Customer> {
    const url = `${this.#server('kycServer', 'SEP-12')}/customer`
    const { id } = await this.#ask<{ id: string }>(url, { ...options, method: 'PUT', json: fields })
    return this.customer({ ...options, query: { id } })
  }

  /** A firm quote of the anchor (SEP-38). One amount, of what is sold or of what is bought. */
  quote(
    wish: { sellAsset: string; buyAsset: string; context?: 'sep6' | 'sep24' } & (
      { sellAmount: string } | { buyAmount: string }
    ),
    options: CallOptions = {},
  ): Promise<FirmQuote> {
    const json = {
      context: wish.context ?? 'sep24',
      sell_asset: wish.sellAsset,
      buy_asset: wish.buyAsset,
      ...('sellAmount' in wish ? { sell_amount: wish.sellAmount } : { buy_amount: wish.buyAmount }),
    }
    const url = `${this.#server('quoteServer', 'SEP-38')}/quote`
    return this.#ask(url, { ...options, method: 'POST', json })
  }

  deposit(wish: TransferWish): Promise<Transfer> {
    return this.#start('deposit', wish)
  }

  withdraw(wish: TransferWish): Promise<Transfer> {
    return this.#start('withdrawal', wish)
  }

  /** A transfer of this account, to read or watch again. */
  transfer(state: TransferState): Transfer {
    const server =
      state.protocol === 'sep24'
        ? this.#server('transferServerSep24', 'SEP-24')
        : this.#server('transferServer', 'SEP-6')
    return new Transfer(state, async ({ signal }) => {
      const query = { id: state.id }
      const url = `${server}/transaction`
      return (await this.#ask<{ transaction: Transaction }>(url, { signal, query })).transaction
    })
  }

  async #start(kind: TransferState['kind'], wish: TransferWish): Promise<Transfer> {
    const { protocol = 'sep24', signal } = wish
    const { memo, signer } = this.#parts
    const side = kind === 'deposit' ? 'deposit' : 'withdraw'
    const parameters = {
      ...wish.fields,
      ...(protocol === 'sep24' ? assetOf(wish) : { asset_code: await this.#codeAtSep6(side, wish) }),
      ...(wish.amount ? { amount: wish.amount } : {}),
      ...(wish.quoteId ? { quote_id: wish.quoteId } : {}),
    }
    const begun =
      protocol === 'sep24'
        ? await this.#ask<{ id: string; url: string }>(
            `${this.#server('transferServerSep24', 'SEP-24')}/transactions/${side}/interactive`,
            { signal, method: 'POST', json: parameters },
          )
        : await this.#ask<{ id: string; url?: string }>(
            `${this.#server('transferServer', 'SEP-6')}/${side}`,
            // SEP-6 begins transactions by GET: a repetition would begin another.
            { signal, query: { ...this.#ownAccount(kind), ...parameters }, repeatable: false },
          )
    return this.transfer({
      version: 1,
      anchor: this.anchor,
      account: signer.address,
      ...(memo === undefined ? {} : { memo }),
      protocol,
      kind,
      id: begun.id,
      ...(begun.url ? { url: begun.url } : {}),
    })
  }

  /** SEP-6 has no parameter for the issuer: an anchor whose assets share a code lists those after the first with it. */
  async #codeAtSep6(side: 'deposit' | 'withdraw', wish: TransferWish): Promise<string> {
    const { asset_code: code, asset_issuer: issuer } = assetOf(wish)
    if (!issuer) return code
    const url = `${this.#server('transferServer', 'SEP-6')}/info`
    const info = await this.#parts.request<Partial<Record<typeof side, object>>>(url, { signal: wish.signal })
    const isShared = Object.keys(info.body[side] ?? {}).some(each => each.startsWith(`${code}:`))
    return isShared ? wish.asset : code
  }

  /** With the token; again with a new one where the anchor no longer accepts it. */
  async #ask<T>(url: string, input: Parameters<Request>[1] = {}): Promise<T> {
    const token = await this.#login(input.signal)
    const send = async (bearer: string) =>
      (await this.#parts.request<T>(url, { ...input, headers: { authorization: `Bearer ${bearer}` } })).body
    try {
      return await send(token)
    } catch (error) {
      if (!(error instanceof RefusedError) || ![401, 403].includes(error.status)) throw error
      this.#token = null
      return send(await this.#login(input.signal))
    }
  }

  /** Calls at the same time share a login: an abort ends the waiting of its own call alone. */
  #login(signal: AbortSignal | undefined): Promise<string> {
    this.#token ??= this.#logInNow().catch((error: unknown) => {
      this.#token = null
      throw error
    })
    return untilAborted(this.#token, signal)
  }

  #isContract(): boolean {
    return this.#parts.signer.address.startsWith('C')
  }

  /** Names a contract account only where it is paid: anchors of older versions refuse it beside a withdrawal. */
  #ownAccount(kind: TransferState['kind']): { account?: string } {
    return this.#isContract() && kind === 'withdrawal' ? {} : { account: this.#parts.signer.address }
  }

  /** Again with a new challenge where this one has ended: the signer took long, or a clock was set. */
  async #logInNow(): Promise<string> {
    const logIn = () => (this.#isContract() ? this.#logInContract() : this.#logInAccount())
    return logIn().catch((error: unknown) => {
      if (isExpired(error)) return logIn()
      throw error
    })
  }

  async #logInAccount(): Promise<string> {
    const { anchor, signer, request, memo } = this.#parts
    const { homeDomain } = anchor
    const webAuth = this.#server('webAuth', 'SEP-10')
    const query = { account: signer.address, home_domain: homeDomain, memo }
    const { body: challenge } = await request<{ transaction: string }>(webAuth, { query })
    // The Stellar SDK comes with it, which is larger than all the rest: a page that only compares does not load it.
    const { signChallenge } = await import('./challenge.ts')
    const transaction = await signChallenge(challenge.transaction, { ...anchor, webAuth, memo }, signer)
    const { body } = await request<{ token: string }>(webAuth, { method: 'POST', json: { transaction } })
    return body.token
  }

  async #logInContract(): Promise<string> {
    const { anchor, signer, request, memo } = this.#parts
    const { homeDomain, webAuthContract: contract } = anchor
    const webAuth = this.#server('webAuthForContracts', 'SEP-45')
    if (!contract) throw new UnsupportedError(`${homeDomain} names no contract to log in by (SEP-45).`)
    if (memo !== undefined) throw new UnsupportedError('A contract account logs in without a memo (SEP-45).')
    const query = { account: signer.address, home_domain: homeDomain }
    const { body: challenge } = await request<{ authorization_entries: string }>(webAuth, { query })
    const { signContractChallenge } = await import('./contract-challenge.ts')
    const expected = { ...anchor, webAuth, contract }
    const signed = await signContractChallenge(challenge.authorization_entries, expected, signer)
    const json = { authorization_entries: signed }
    const { body } = await request<{ token: string }>(webAuth, { method: 'POST', json })
    return body.token
  }

  #server(name: keyof AnchorAddress['endpoints'], sep: string): string {
    const address = this.anchor.endpoints[name]
    if (!address) throw new UnsupportedError(`${this.anchor.homeDomain} does not serve ${sep}.`)
    // The token goes there.
    if (!isSecure(address)) throw new UnsupportedError(`${address} is not an https address.`)
    return address.replace(/\/$/, '')
  }
}

/** Plain http is for anchors on the own machine. */
function isSecure(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.localhost)$/.test(hostname)
}
