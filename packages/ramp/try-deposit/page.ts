import { h } from '../dom.ts'
import { AddressRefused, Popup } from '../popup.ts'
import { styleSheet } from '../style.ts'
import { wordsIn } from '../texts.ts'
import { TransferView, type AnchorPage } from '../transfer-view.ts'
import type { Transfer } from '../../wallet/transfer.ts'
import type { Step, TestAnchor } from './test-account.ts'

/*
 * "Try a deposit" on an anchor's public page, on test networks: a real deposit for an account that is made here and
 * whose key never leaves this page. The anchor's page names the anchor in `data-anchor`.
 */

interface TrialTexts {
  title: string
  what(code: string): string
  steps: Readonly<Record<Step, string>>
}
const en: TrialTexts = {
  title: 'Try a deposit',
  what: code =>
    `Opens an account on the test network in this browser and deposits ${code} to it, as a wallet does. Test money only. The account’s key never leaves this page and is gone when you close it.`,
  steps: {
    account: 'Opening a test account…',
    trustline: 'Adding a trustline…',
    login: 'Logging in at the anchor…',
  },
}
const es: TrialTexts = {
  title: 'Probar un depósito',
  what: code =>
    `Abre una cuenta de la red de pruebas en este navegador y deposita ${code} en ella, como lo hace una billetera. Solo dinero de prueba. La clave de la cuenta no sale de esta página y desaparece cuando la cierra.`,
  steps: {
    account: 'Abriendo una cuenta de prueba…',
    trustline: 'Añadiendo una línea de confianza…',
    login: 'Iniciando sesión en el anchor…',
  },
}
const words = wordsIn([document.documentElement.lang])
const texts = words.language === 'es' ? es : en

function show(place: HTMLElement, anchor: TestAnchor): void {
  const card = h('div', { class: 'card' })
  const root = place.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [styleSheet()]
  root.append(card)
  let running = new AbortController()

  const button = (text: string, onclick: () => void) =>
    h('div', { class: 'actions' }, h('button', { type: 'button', class: 'main', onclick }, text))

  function offer(): void {
    card.replaceChildren(
      h('h2', {}, texts.title),
      h('p', {}, texts.what(anchor.asset.code)),
      button(texts.title, start),
    )
  }

  function start(): void {
    running.abort()
    running = new AbortController()
    const { signal } = running
    // Browsers open a window only during the click.
    const popup = new Popup()
    const status = h('p', { role: 'status' })
    card.replaceChildren(h('h2', { tabindex: '-1' }, texts.title), status)
    card.querySelector('h2')?.focus()
    const onStep = (step: Step) => status.replaceChildren(texts.steps[step])
    void begin(onStep, signal)
      .then(transfer => follow(transfer, signal, popup.show(transfer.url ?? '')))
      .catch((error: unknown) => {
        popup.close()
        fail(error, start)
      })
  }

  /** The Stellar SDK comes with it, which only those who try a deposit load. */
  async function begin(onStep: (step: Step) => void, signal: AbortSignal): Promise<Transfer> {
    const { startTestDeposit } = await import('./test-account.ts')
    return startTestDeposit(anchor, onStep, signal)
  }

  function follow(transfer: Transfer, signal: AbortSignal, page?: AnchorPage): void {
    const again = () => follow(transfer, signal)
    const onOpen = (address: string) => {
      try {
        view.opened(new Popup().show(address))
      } catch (error) {
        fail(error, again)
      }
    }
    const view = new TransferView({ words, transfer, pay: null, onOpen, onAgain: start })
    card.replaceChildren(view.element)
    if (page) view.opened(page)
    view.focus()
    const watch = async () => {
      for await (const transaction of transfer.watch({ signal })) view.update(transaction)
    }
    void watch().catch((error: unknown) => {
      if (!signal.aborted) fail(error, again)
    })
  }

  function fail(error: unknown, again: () => void): void {
    const message = error instanceof Error ? error.message : String(error)
    const text = error instanceof AddressRefused ? words.t('addressRefused') : message
    card.replaceChildren(h('p', { class: 'error', role: 'alert' }, text), button(words.t('retry'), again))
    card.querySelector('button')?.focus()
  }

  offer()
}

const place = document.querySelector<HTMLElement>('#try-deposit')
if (place) show(place, JSON.parse(place.dataset['anchor'] ?? '') as TestAnchor)
