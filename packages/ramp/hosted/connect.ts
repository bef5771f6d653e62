import { freighterAddress, hasFreighter, signWithFreighter } from '@windlass/ui/freighter.ts'
import { h } from '../dom.ts'
import type { RampSigner, WindlassRamp } from '../windlass-ramp.ts'
import { askAlbedo } from './albedo.ts'
import { phoneWallet } from './phone-wallet.ts'

const en = {
  title: 'Your wallet',
  why: 'The anchor pays the account of this wallet. Offers need none. With an address you also see whether the account can receive the asset; you log in when a transfer begins.',
  freighter: 'Connect Freighter',
  albedo: 'Connect Albedo',
  other: 'Another wallet',
  address: 'Address of your account',
  use: 'Use this account',
  addressInvalid: 'Enter the address of an account. It begins with G and has 56 characters.',
  connected: 'Connected account',
  change: 'Change wallet',
  signTitle: 'Confirm that the account is yours',
  signWhy: 'Sign this transaction in your wallet. It moves no money and is never sent to the ledger.',
  byHand: 'Copy and paste instead',
  unsigned: 'Transaction to sign (XDR)',
  copy: 'Copy the transaction',
  copied: 'Copied',
  signed: 'Signed transaction (XDR)',
  finish: 'Continue',
  signInAlbedo: 'Confirm in Albedo',
  cancel: 'Cancel',
  cancelled: 'Nothing was signed.',
}
const es: typeof en = {
  title: 'Su billetera',
  why: 'El anchor paga a la cuenta de esta billetera. Las ofertas no la necesitan. Con una dirección también ve si la cuenta puede recibir el activo; inicia sesión cuando empieza una transferencia.',
  freighter: 'Conectar Freighter',
  albedo: 'Conectar Albedo',
  other: 'Otra billetera',
  address: 'Dirección de su cuenta',
  use: 'Usar esta cuenta',
  addressInvalid: 'Escriba la dirección de una cuenta. Empieza por G y tiene 56 caracteres.',
  connected: 'Cuenta conectada',
  change: 'Cambiar de billetera',
  signTitle: 'Confirme que la cuenta es suya',
  signWhy: 'Firme esta transacción en su billetera. No mueve dinero y nunca se envía a la red.',
  byHand: 'Copiar y pegar',
  unsigned: 'Transacción para firmar (XDR)',
  copy: 'Copiar la transacción',
  copied: 'Copiado',
  signed: 'Transacción firmada (XDR)',
  finish: 'Continuar',
  signInAlbedo: 'Confirmar en Albedo',
  cancel: 'Cancelar',
  cancelled: 'No se firmó nada.',
}

/** Albedo knows these two by name, and others by their passphrase. */
const ALBEDO_NETWORKS: Readonly<Record<string, string>> = {
  'Public Global Stellar Network ; September 2015': 'public',
  'Test SDF Network ; September 2015': 'testnet',
}

/** Lets customers who opened this page themselves connect a wallet. No key passes through the page. */
export function offerWallets(ramp: WindlassRamp, panel: HTMLElement, isSpanish: boolean): void {
  const words = isSpanish ? es : en
  panel.hidden = false
  showChoices()

  function show(title: string, ...parts: (Node | string)[]): void {
    const heading = h('h2', { tabindex: '-1' }, title)
    const isFirst = panel.childElementCount === 0
    panel.replaceChildren(heading, ...parts)
    if (!isFirst) heading.focus()
  }

  function showChoices(): void {
    const problem = h('p', { role: 'alert' })
    const connect = async (wallet: () => Promise<RampSigner>) => {
      problem.textContent = ''
      try {
        showAccount(await wallet())
      } catch (error) {
        problem.textContent = error instanceof Error ? error.message : String(error)
      }
    }
    const freighter = button(words.freighter, () => void connect(connectFreighter))
    freighter.hidden = true
    void hasFreighter().then(isThere => (freighter.hidden = !isThere))
    const albedo = button(words.albedo, () => void connect(connectAlbedo))
    show(
      words.title,
      h('p', {}, words.why),
      h('p', { class: 'actions' }, freighter, albedo),
      addressForm(),
      problem,
    )
  }

  function addressForm(): HTMLElement {
    const input = h('input', {
      id: 'address',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': 'wrong',
    })
    const wrong = h('p', { id: 'wrong', role: 'alert' })
    const submit = (event: Event) => {
      event.preventDefault()
      const address = input.value.trim()
      const isValid = /^G[A-Z2-7]{55}$/.test(address)
      wrong.textContent = isValid ? '' : words.addressInvalid
      const sign: RampSigner['sign'] = (xdr, { networkPassphrase }) =>
        signElsewhere(address, xdr, networkPassphrase)
      if (isValid) return showAccount({ address, onPage: true, sign })
      input.setAttribute('aria-invalid', 'true')
      input.focus()
    }
    const form = h('form', { onsubmit: submit }, h('label', { for: 'address' }, words.address), input, wrong)
    form.append(h('p', { class: 'actions' }, h('button', {}, words.use)))
    return h('details', {}, h('summary', {}, words.other), form)
  }

  function showAccount(signer: RampSigner): void {
    ramp.signer = signer
    const change = () => {
      ramp.signer = null
      showChoices()
    }
    show(words.connected, h('p', {}, h('code', {}, signer.address)), button(words.change, change))
  }

  async function connectAlbedo(): Promise<RampSigner> {
    const { pubkey: address = '' } = await askAlbedo('public_key', {})
    return {
      address,
      onPage: true,
      sign: (xdr, { networkPassphrase }) => signInAlbedo(address, xdr, networkPassphrase),
    }
  }

  const signInAlbedo = (pubkey: string, xdr: string, passphrase: string): Promise<string> =>
    signHere(pubkey, done => {
      const network = ALBEDO_NETWORKS[passphrase] ?? passphrase
      const ask = () =>
        done(askAlbedo('tx', { xdr, network, pubkey }).then(answer => answer['signed_envelope_xdr'] ?? ''))
      return [button(words.signInAlbedo, ask)]
    })

  /** In a wallet that knows SEP-7, or in any other by hand, whichever comes first. */
  const signElsewhere = async (address: string, xdr: string, networkPassphrase: string): Promise<string> => {
    const ended = new AbortController()
    const asked = { address, xdr, networkPassphrase, isSpanish, signal: ended.signal }
    try {
      return await signHere(address, done => [
        phoneWallet({ ...asked, onSigned: signed => done(Promise.resolve(signed)) }),
        signByHand(xdr, done),
      ])
    } finally {
      ended.abort()
    }
  }

  function signByHand(xdr: string, done: (signed: Promise<string>) => void): HTMLElement {
    const unsigned = h('textarea', { id: 'unsigned', readonly: true, rows: '4' }, xdr)
    const copy = button(words.copy, () => {
      void navigator.clipboard.writeText(xdr).then(() => (copy.textContent = words.copied))
    })
    const signed = h('textarea', { id: 'signed', rows: '4', spellcheck: 'false', required: true })
    const submit = (event: Event) => {
      event.preventDefault()
      done(Promise.resolve(signed.value.trim()))
    }
    const form = h('form', { onsubmit: submit }, h('label', { for: 'signed' }, words.signed), signed)
    form.append(h('p', { class: 'actions' }, h('button', {}, words.finish)))
    const label = h('label', { for: 'unsigned' }, words.unsigned)
    return h('details', {}, h('summary', {}, words.byHand), label, unsigned, copy, form)
  }

  /** Shows how to sign until that is done; then the account again. */
  async function signHere(
    address: string,
    parts: (done: (signed: Promise<string>) => void) => HTMLElement[],
  ): Promise<string> {
    const { signer } = ramp
    try {
      return await new Promise<string>((resolve, reject) => {
        const cancel = button(words.cancel, () => reject(new Error(words.cancelled)))
        const account = h('p', {}, h('code', {}, address))
        show(words.signTitle, h('p', {}, words.signWhy), account, ...parts(resolve), cancel)
        panel.scrollIntoView({ block: 'nearest' })
      })
    } finally {
      if (signer) showAccount(signer)
    }
  }
}

async function connectFreighter(): Promise<RampSigner> {
  const address = await freighterAddress()
  return {
    address,
    sign: (xdr, { networkPassphrase }) => signWithFreighter(xdr, networkPassphrase, address),
  }
}

const button = (text: string, onclick: () => void): HTMLButtonElement =>
  h('button', { type: 'button', onclick }, text)
