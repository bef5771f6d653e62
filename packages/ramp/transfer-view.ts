import { facts, h, link } from './dom.ts'
import { qrCode } from './qr-code.ts'
import type { TextName, Words } from './texts.ts'
import { paymentOf, type Transaction, type Transfer, type WithdrawalPayment } from '../wallet/wallet.ts'

const STAGES = ['stageDetails', 'stagePayment', 'stageProcessing', 'stageDone'] as const
const ENDED = { completed: 'completed', refunded: 'refunded', expired: 'expired' } as const

interface Progress {
  stage: number
  text: TextName
}

/** What a status of SEP-24 and SEP-6 means to the customer. */
function progressOf({ status, kind }: Pick<Transaction, 'status' | 'kind'>): Progress {
  const isDeposit = kind.startsWith('deposit')
  switch (status) {
    case 'incomplete':
      return { stage: 0, text: 'incomplete' }
    case 'pending_customer_info_update':
    case 'pending_transaction_info_update':
      return { stage: 0, text: 'customerInfo' }
    case 'pending_user_transfer_start':
      return { stage: 1, text: isDeposit ? 'payDeposit' : 'payWithdrawal' }
    case 'pending_trust':
      return { stage: 2, text: 'trustlineMissing' }
    case 'pending_stellar':
      return { stage: 2, text: 'ledgerProcessing' }
    case 'pending_external':
      return { stage: 2, text: isDeposit ? 'processing' : 'railProcessing' }
    default:
      if (hasEnded(status)) return { stage: 3, text: endedText(status) }
      return { stage: 2, text: 'processing' }
  }
}

const FAILURES = ['error', 'no_market', 'too_small', 'too_large']
const hasEnded = (status: string): boolean => Object.hasOwn(ENDED, status) || FAILURES.includes(status)
const endedText = (status: string): TextName =>
  Object.hasOwn(ENDED, status) ? ENDED[status as keyof typeof ENDED] : 'failed'

/** The wallet's own way to pay a withdrawal; resolves when the payment is sent. */
export type Pay = (payment: WithdrawalPayment) => Promise<unknown>

export type AnchorPage = keyof typeof PAGE_TEXTS
const PAGE_TEXTS = { open: 'pageOpened', blocked: 'popupBlocked', closed: 'pageClosed' } as const

interface TransferParts {
  words: Words
  transfer: Transfer
  /** What is missing on the ledger, while the transfer waits for it. */
  trustline?: HTMLElement
  /** Opens a page of the anchor from a click. */
  onOpen(address: string): void
  onAgain(): void
  pay: Pay | null
}

/** Asks a wallet for the payment, by SEP-7, which wants spaces as %20. */
function paymentLink(payment: WithdrawalPayment, networkPassphrase: string): string {
  const { destination, amount, asset, memo, memoType } = payment
  const [code = '', issuer] = asset.split(':')
  const query = {
    destination,
    amount,
    ...(issuer && { asset_code: code, asset_issuer: issuer }),
    memo,
    memo_type: MEMO_TYPES[memoType] ?? memoType,
    network_passphrase: networkPassphrase,
  }
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `web+stellar:pay?${pairs.join('&')}`
}

/** As SEP-7 names those of SEP-24. */
const MEMO_TYPES: Readonly<Record<string, string>> = {
  id: 'MEMO_ID',
  text: 'MEMO_TEXT',
  hash: 'MEMO_HASH',
}

/** A transfer as it proceeds, and its receipt in the end. */
export class TransferView {
  readonly element: HTMLElement
  readonly #parts: TransferParts
  readonly #heading: HTMLHeadingElement
  readonly #stages: HTMLOListElement
  readonly #status = h('p', { role: 'status', part: 'status' })
  readonly #window = h('p', { class: 'soft' })
  readonly #rest = h('div')
  #paid = false
  #page: string | undefined
  /** The payment's code, for as long as the payment is the same. */
  #code: { link: string; figure: HTMLElement } | undefined

  constructor(parts: TransferParts) {
    const { words, transfer } = parts
    const { t } = words
    this.#parts = parts
    this.#page = transfer.url
    this.#heading = h('h2', { tabindex: '-1' }, t(transfer.state.kind === 'deposit' ? 'deposit' : 'withdraw'))
    this.#stages = h('ol', { 'aria-label': t('status') }, ...STAGES.map(name => h('li', {}, t(name))))
    const where = facts([[t('anchor'), transfer.state.anchor.homeDomain]])
    this.element = h(
      'section',
      {},
      this.#heading,
      this.#stages,
      this.#status,
      this.#window,
      where,
      this.#rest,
    )
  }

  focus(): void {
    this.#heading.focus()
  }

  /** Says whether the anchor's page is open. */
  opened(page: AnchorPage): void {
    this.#window.textContent = this.#parts.words.t(PAGE_TEXTS[page])
    this.#window.className = page === 'blocked' ? 'error' : 'soft'
    if (this.#rest.childElementCount === 0) this.#rest.replaceChildren(this.#actions(this.#openButton()))
  }

  update(transaction: Transaction): void {
    const { words } = this.#parts
    this.#page ??= transaction.more_info_url
    const { stage, text } = progressOf(transaction)
    this.#stages.querySelectorAll('li').forEach((item, place) => {
      item.className = place < stage || stage === 3 ? 'done' : ''
      if (place === stage) item.setAttribute('aria-current', 'step')
      else item.removeAttribute('aria-current')
    })
    const said = [words.t(text), transaction.message].filter(Boolean).join(' – ')
    if (this.#status.textContent !== said) this.#status.textContent = said
    if (hasEnded(transaction.status)) return this.#receipt(transaction)
    const payment = paymentIn(transaction)
    if (payment) this.#window.textContent = ''
    const { trustline } = this.#parts
    const above = trustline && transaction.status === 'pending_trust' ? [trustline] : []
    const rest = payment ? this.#payment(payment) : [...above, this.#actions(this.#openButton())]
    this.#rest.replaceChildren(...rest)
  }

  #openButton(): HTMLElement {
    const { words, onOpen } = this.#parts
    const open = () => onOpen(this.#page ?? '')
    return h('button', { type: 'button', part: 'button', onclick: open }, words.t('openPage'))
  }

  #actions(...buttons: HTMLElement[]): HTMLElement {
    return h('div', { class: 'actions' }, ...buttons)
  }

  #payment(payment: WithdrawalPayment): Node[] {
    const { words, pay, transfer } = this.#parts
    const { t, amount } = words
    const code = payment.asset.split(':')[0] ?? payment.asset
    const rows = facts([
      [t('paymentTo'), this.#copied(t('paymentTo'), payment.destination)],
      [t('paymentAmount'), this.#copied(t('paymentAmount'), payment.amount, amount(payment.amount, code))],
      [t('paymentMemo'), this.#copied(t('paymentMemo'), payment.memo)],
    ])
    const send = h(
      'button',
      { type: 'button', class: 'main', part: 'button' },
      t('sendNow', { amount: amount(payment.amount, code) }),
    )
    send.disabled = this.#paid
    send.addEventListener('click', () => void this.#send(send, payment))
    const { networkPassphrase } = transfer.state.anchor
    // A wallet that is registered for such links fills in the payment itself.
    const asked = paymentLink(payment, networkPassphrase)
    const open = h('a', { href: asked, part: 'button' }, t('openInWallet'))
    return [
      rows,
      ...(pay ? [] : [this.#scanned(asked)]),
      h('p', { class: 'soft' }, t('memoRequired')),
      this.#actions(pay ? send : open, this.#openButton()),
    ]
  }

  /** The payment for the wallet on a phone, whose camera reads it from here. */
  #scanned(asked: string): HTMLElement {
    if (this.#code?.link === asked) return this.#code.figure
    const { t } = this.#parts.words
    const figure = h('figure', {}, h('figcaption', { class: 'soft' }, t('scanHint')))
    this.#code = { link: asked, figure }
    // Without the code, the details above are still there.
    qrCode(asked, t('scanCode')).then(
      code => figure.prepend(code),
      () => figure.remove(),
    )
    return figure
  }

  async #send(button: HTMLButtonElement, payment: WithdrawalPayment): Promise<void> {
    const { words, pay } = this.#parts
    this.#paid = true
    button.disabled = true
    this.#status.textContent = words.t('sending')
    try {
      await pay?.(payment)
    } catch (error) {
      this.#paid = false
      button.disabled = false
      const message = error instanceof Error ? error.message : String(error)
      this.#status.textContent = words.t('unexpected', { message })
    }
  }

  /** A value with a button that copies it. */
  #copied(what: string, value: string, shown = value): HTMLElement {
    const { t } = this.#parts.words
    const button = h('button', { type: 'button', part: 'button' }, t('copy', { what }))
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(value).then(() => {
        button.textContent = t('copied')
      })
    })
    return h('div', {}, h('code', {}, shown), ' ', button)
  }

  #receipt(transaction: Transaction): void {
    const { words, transfer, onAgain } = this.#parts
    const { t, amount, time } = words
    const side = (value?: string, asset?: string) => value && amount(value, unitOf(asset))
    const { refunds, fee_details: fee } = transaction
    this.#window.remove()
    this.#heading.textContent = t('receipt')
    const again = h(
      'button',
      { type: 'button', class: 'main', part: 'button', onclick: onAgain },
      t('startAgain'),
    )
    this.#rest.replaceChildren(
      facts([
        [t('sent'), side(transaction.amount_in, transaction.amount_in_asset)],
        [t('received'), side(transaction.amount_out, transaction.amount_out_asset)],
        [t('totalFee'), fee && side(fee.total, fee.asset)],
        [t('refundedAmount'), refunds && side(refunds.amount_refunded, transaction.amount_in_asset)],
        [t('finishedAt'), transaction.completed_at && time(transaction.completed_at)],
        [t('reference'), h('code', {}, transfer.id)],
        [
          t('ledgerTransaction'),
          transaction.stellar_transaction_id && h('code', {}, transaction.stellar_transaction_id),
        ],
      ]),
      h('p', {}, link(transaction.more_info_url, t('anchorPage')) ?? ''),
      this.#actions(again),
    )
    this.focus()
  }
}

function paymentIn(transaction: Transaction): WithdrawalPayment | null {
  if (!transaction.kind.startsWith('withdraw')) return null
  try {
    return paymentOf(transaction)
  } catch {
    return null
  }
}

/** `iso4217:INR` is INR, `stellar:LOTUS:G…` is LOTUS, `stellar:native` is XLM. */
const unitOf = (asset: string | undefined): string | undefined =>
  asset === 'stellar:native' ? 'XLM' : asset?.split(':')[1]
