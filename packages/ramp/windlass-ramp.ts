import { h } from './dom.ts'
import {
  findChoices,
  findOffers,
  currencyOf,
  type Choice,
  type Kind,
  type PricedOffer,
  type Wish,
} from './offers.ts'
import { offerForm, offerList, type FormValues } from './offer-views.ts'
import { AddressRefused, Popup } from './popup.ts'
import { styleSheet } from './style.ts'
import { wordsIn, type Words } from './texts.ts'
import { TransferView, type AnchorPage, type Pay } from './transfer-view.ts'
import { TrustlineNotice } from './trustline-notice.ts'
import { Wallet, WalletError } from '../wallet/wallet.ts'
import type { Signer, Transaction, Transfer, TransferState } from '../wallet/wallet.ts'

export type { Pay } from './transfer-view.ts'
export type { Signer, Transaction, TransferState, WithdrawalPayment } from '../wallet/wallet.ts'

/** Logs in for the customer's account. `onPage`: the customer confirms on the page of the element, so the anchor's window is opened after that. */
export type RampSigner = Signer & { readonly onPage?: boolean }

const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['public', 'Public Global Stellar Network ; September 2015'],
  ['testnet', 'Test SDF Network ; September 2015'],
])
/** A page that loads this file from an aggregator need not name it again. */
const LOADED_FROM = new URL(import.meta.url).origin

/** A server that renders pages may import this file: it has no elements. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)

/**
 * `<windlass-ramp>`: offers of anchors, the chosen anchor's page in a popup, live status and the receipt. See README.md
 * for attributes, properties, events and custom properties.
 */
export class WindlassRamp extends Base {
  static readonly observedAttributes = [
    'aggregator',
    'network',
    'kind',
    'amount',
    'asset',
    'rail',
    'region',
    'currency',
    'external',
    'lang',
  ]

  #signer: RampSigner | null = null
  #pay: Pay | null = null
  readonly #view = h('div', { class: 'card', part: 'card' })
  readonly #live = h('p', { role: 'status' })
  readonly #account = h('p', { class: 'soft', hidden: true })
  readonly #trustline = new TrustlineNotice()
  #running = new AbortController()
  #values: { amount: string; choice?: Choice } | null = null
  #chosen: PricedOffer | null = null
  #isDrawn = false

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [styleSheet()]
    root.append(this.#view)
    acceptEarlier(this, 'signer')
    acceptEarlier(this, 'pay')
  }

  /** Sends a withdrawal's payment; null: the customer sends it by hand. */
  get pay(): Pay | null {
    return this.#pay
  }
  set pay(pay: Pay | null) {
    this.#pay = pay
  }

  /** Logs in for the customer's account. No key passes through this element. */
  get signer(): RampSigner | null {
    return this.#signer
  }
  set signer(signer: RampSigner | null) {
    this.#signer = signer
    this.#nameAccount()
    this.#lookAtTrustline()
  }

  /** A wallet can connect while offers are shown. */
  #nameAccount(): void {
    const address = this.#signer?.address
    this.#account.hidden = address === undefined
    this.#account.replaceChildren(`${this.#words().t('account')}: `, h('code', {}, address ?? ''))
  }

  #lookAtTrustline(): void {
    const account = this.#kind() === 'deposit' ? this.#signer?.address : undefined
    const offer = this.#chosen?.offer
    const asset = offer?.issuer && `${offer.asset}:${offer.issuer}`
    this.#trustline.look(this.#wallet(), this.#words(), { account, asset, amount: offer?.buyAmount })
  }

  #lookAtTrustlineFor({ state }: Transfer, { amount_out_asset, amount_out }: Transaction): void {
    const asset = amount_out_asset?.replace(/^stellar:/, '')
    const asked = { account: state.account, asset, amount: amount_out }
    this.#trustline.look(this.#wallet(), this.#words(), asked)
  }

  connectedCallback(): void {
    if (!this.#isDrawn) this.#start()
  }

  disconnectedCallback(): void {
    this.#isDrawn = false
    this.#running.abort()
  }

  /** A change begins again, with an amount that was typed kept. */
  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (!this.#isDrawn || before === now) return
    if (name === 'amount') this.#values = null
    this.#isDrawn = false
    queueMicrotask(() => this.isConnected && !this.#isDrawn && this.#start())
  }

  /** Continues a transfer from the state of a `windlass-start` event. Throws {@link WalletError}. */
  resume(state: TransferState | string): void {
    const transfer = this.#wallet().resume(state)
    this.#isDrawn = true
    this.#follow(transfer, this.#begin())
  }

  #start(): void {
    this.#isDrawn = true
    void this.#showForm(this.#begin(), false)
  }

  /** Ends what runs, and returns the signal for what follows. */
  #begin(): AbortSignal {
    this.#running.abort()
    this.#running = new AbortController()
    return this.#running.signal
  }

  async #showForm(signal: AbortSignal, withFocus: boolean): Promise<void> {
    const words = this.#words()
    await this.#guarded(
      signal,
      () => this.#showForm(this.#begin(), true),
      async () => {
        const choices = await this.#choices(words, signal)
        signal.throwIfAborted()
        const values = this.#values ?? { amount: this.getAttribute('amount') ?? '' }
        const onSubmit = (typed: FormValues) => {
          this.#values = typed
          void this.#showOffers(this.#begin(), typed)
        }
        this.#show(offerForm({ words, kind: this.#kind(), choices, values, onSubmit }), withFocus)
      },
    )
  }

  async #choices(words: Words, signal: AbortSignal): Promise<Choice[]> {
    const { asset, rail, currency, region } = this.#given()
    const known = currency ?? (rail && currencyOf(rail, ''))
    if (asset && rail && known) return [{ asset, rail, currency: known }]
    this.#wait(words.t('loading'))
    return findChoices(this.#wallet(), { asset, rail, region, currency }, signal)
  }

  async #showOffers(signal: AbortSignal, values: FormValues): Promise<void> {
    const words = this.#words()
    const kind = this.#kind()
    const { region, external } = this.#given()
    const wish: Wish = { kind, amount: values.amount, ...values.choice, region, external }
    this.#wait(words.t('searching'))
    const again = () => this.#showOffers(this.#begin(), values)
    await this.#guarded(signal, again, async () => {
      const offers = await findOffers(this.#wallet(), wish, signal)
      signal.throwIfAborted()
      this.#nameAccount()
      const onContinue = (offer: PricedOffer) => void this.#startTransfer(this.#begin(), offer, values)
      const onChange = () => void this.#showForm(this.#begin(), true)
      const onChoose = (offer: PricedOffer) => {
        this.#chosen = offer
        this.#lookAtTrustline()
      }
      const account = [this.#account, this.#trustline.element]
      this.#show(offerList({ words, kind, offers, account, onChoose, onContinue, onChange }), true)
      this.#say(words.t('offersFound', { count: offers.count }))
    })
  }

  async #startTransfer(
    signal: AbortSignal,
    { offer, selection }: PricedOffer,
    values: FormValues,
  ): Promise<void> {
    const words = this.#words()
    const back = () => this.#showOffers(this.#begin(), values)
    if (!this.#signer) return this.#fail(words.t('signerMissing'), back)
    const popup = this.#signer.onPage ? null : new Popup()
    const close = () => popup?.close()
    signal.addEventListener('abort', close, { once: true })
    this.#wait(words.t('signing', { domain: offer.domain }))
    await this.#guarded(signal, back, async () => {
      try {
        const session = await this.#wallet().connect(selection, { signal })
        const asset = offer.issuer ? `${offer.asset}:${offer.issuer}` : offer.asset
        const wish = { asset, amount: values.amount, fields: { lang: words.language }, signal }
        const transfer = await (this.#kind() === 'deposit' ? session.deposit(wish) : session.withdraw(wish))
        const page = popup ? popup.show(transfer.url ?? '') : 'closed'
        // From here on the anchor's page is the customer's.
        signal.removeEventListener('abort', close)
        this.#send('windlass-start', transfer.state)
        // The page may have gone elsewhere since; it has the state.
        if (!signal.aborted) this.#follow(transfer, signal, page)
      } catch (error) {
        close()
        throw error
      }
    })
  }

  #follow(transfer: Transfer, signal: AbortSignal, page?: AnchorPage): void {
    const words = this.#words()
    const view = new TransferView({
      words,
      transfer,
      trustline: this.#trustline.element,
      pay: this.pay,
      onOpen: address => {
        try {
          view.opened(new Popup().show(address))
        } catch (error) {
          this.#fail(textOf(words, error), () => this.#follow(transfer, this.#begin()))
        }
      },
      onAgain: () => {
        this.#values = null
        void this.#showForm(this.#begin(), true)
      },
    })
    this.#view.replaceChildren(view.element)
    if (page) view.opened(page)
    view.focus()
    const again = () => this.#follow(transfer, this.#begin())
    void this.#guarded(signal, again, async () => {
      for await (const transaction of transfer.watch({ signal })) {
        view.update(transaction)
        if (transaction.status === 'pending_trust') this.#lookAtTrustlineFor(transfer, transaction)
        this.#send('windlass-status', transaction)
      }
    })
  }

  /** Shows what goes wrong with a way to try again; what was aborted is silent. */
  async #guarded(signal: AbortSignal, again: () => unknown, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      if (!signal.aborted) this.#fail(textOf(this.#words(), error), again)
    }
  }

  #fail(text: string, again: () => unknown): void {
    const { t } = this.#words()
    const retry = h('button', { type: 'button', part: 'button', onclick: () => void again() }, t('retry'))
    this.#view.replaceChildren(
      h('p', { class: 'error', role: 'alert' }, text),
      h('div', { class: 'actions' }, retry),
    )
    retry.focus()
  }

  #wait(text: string): void {
    this.#live.textContent = ''
    this.#live.className = 'soft live'
    this.#view.replaceChildren(this.#live)
    this.#say(text)
  }

  /** For screen readers, after the region is in the document. */
  #say(text: string): void {
    queueMicrotask(() => {
      this.#live.textContent = text
    })
  }

  #show(view: HTMLElement, withFocus: boolean): void {
    this.#view.replaceChildren(view, this.#live)
    this.#live.textContent = ''
    this.#live.className = 'unseen'
    if (withFocus) view.querySelector('h2')?.focus()
  }

  #send(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }

  #wallet(): Wallet {
    const network = this.getAttribute('network') || 'public'
    return new Wallet({
      aggregator: this.getAttribute('aggregator') ?? LOADED_FROM,
      networkPassphrase: NETWORKS.get(network) ?? network,
      ...(this.#signer ? { signer: this.#signer } : {}),
    })
  }

  #kind(): Kind {
    return this.getAttribute('kind') === 'withdraw' ? 'withdraw' : 'deposit'
  }

  #given() {
    const value = (name: string) => this.getAttribute(name)?.trim() || undefined
    return {
      asset: value('asset'),
      rail: value('rail'),
      region: value('region'),
      currency: value('currency'),
      external: this.hasAttribute('external') || undefined,
    }
  }

  #words(): Words {
    const around = this.closest('[lang]')?.getAttribute('lang')
    const words = wordsIn([around, ...(around ? [] : navigator.languages)])
    this.#view.lang = words.language
    return words
  }
}

/** A page may set a property before this script has loaded: then it hides the accessor. */
function acceptEarlier<K extends 'signer' | 'pay'>(ramp: WindlassRamp, name: K): void {
  if (!Object.hasOwn(ramp, name)) return
  const value = ramp[name]
  Reflect.deleteProperty(ramp, name)
  ramp[name] = value
}

const PROBLEMS = {
  'no-eligible-anchor': 'noAnchor',
  'unsupported-pair': 'noAnchor',
  'amount-outside-limits': 'outsideLimits',
  unreachable: 'unreachable',
  'challenge-invalid': 'challengeInvalid',
  'signer-missing': 'signerMissing',
} as const

function textOf({ t }: Words, error: unknown): string {
  if (error instanceof AddressRefused) return t('addressRefused')
  const code = error instanceof WalletError ? error.code : ''
  if (Object.hasOwn(PROBLEMS, code)) return t(PROBLEMS[code as keyof typeof PROBLEMS])
  return t('unexpected', { message: error instanceof Error ? error.message : String(error) })
}

if (globalThis.customElements && !customElements.get('windlass-ramp'))
  customElements.define('windlass-ramp', WindlassRamp)

declare global {
  interface HTMLElementTagNameMap {
    'windlass-ramp': WindlassRamp
  }
}
