import { h } from './dom.ts'
import { qrCode } from './qr-code.ts'
import type { TextName, Words } from './texts.ts'
import type { TrustlineState, Wallet } from '../wallet/wallet.ts'

interface Asked {
  account: string | undefined
  /** `CODE:ISSUER`; absent: nothing to look for. */
  asset: string | undefined
  /** Units that the account is to receive. */
  amount: string | undefined
}

const FAULTS: readonly TextName[] = ['no-account', 'no-trustline', 'not-authorized', 'trustline-full']

/** Says that the customer's account cannot receive the asset, with a way to change that. */
export class TrustlineNotice {
  readonly element = h('div', { role: 'status' })
  #looking = new AbortController()

  /** Where the ledger does not answer it says nothing. */
  look(wallet: Wallet, words: Words, asked: Asked): void {
    this.#looking.abort()
    this.#looking = new AbortController()
    this.element.replaceChildren()
    const { account = '', asset = '', amount } = asked
    const [code = '', issuer = 'native'] = asset.split(':')
    // Contracts have no trustlines, and XLM needs none.
    if (!/^[GM]/.test(account) || issuer === 'native') return
    const { signal } = this.#looking
    wallet.trustline({ account, asset, amount }, { signal }).then(
      state => {
        if (!signal.aborted) this.#show(words, code, state, () => this.look(wallet, words, asked))
      },
      () => undefined,
    )
  }

  #show({ t }: Words, asset: string, { fault, addTrustline }: TrustlineState, again: () => void): void {
    const why = FAULTS.find(each => each === fault)
    if (!why) return
    const check = h('button', { type: 'button', part: 'button', onclick: again }, t('checkAgain'))
    this.element.replaceChildren(
      h('p', { class: 'error' }, h('strong', {}, t('cannotReceive', { asset }))),
      h('p', {}, t(why, { asset })),
      ...(addTrustline?.startsWith('web+stellar:')
        ? [
            h('p', {}, h('a', { href: addTrustline }, t('addTrustline', { asset }))),
            this.#scanned(t, addTrustline),
          ]
        : []),
      h('p', { class: 'actions' }, check),
    )
  }

  #scanned(t: Words['t'], link: string): HTMLElement {
    const figure = h('figure', {}, h('figcaption', { class: 'soft' }, t('scanHint')))
    // Without the code, the link is still there.
    qrCode(link, t('scanTrustline'), 'L').then(
      code => figure.prepend(code),
      () => figure.remove(),
    )
    return figure
  }
}
