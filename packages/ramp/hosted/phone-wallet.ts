import { h } from '../dom.ts'
import { qrCode } from '../qr-code.ts'
import { LoginEnded, openPlace } from './signed-login.ts'

const en = {
  number: 'Number of this request',
  compare:
    'Your wallet shows the same number, {domain}, and the end of your account. Sign only then, and never a code that someone sent you.',
  open: 'Sign in a wallet on this device',
  code: 'QR code of the request to sign',
  scan: 'Or scan this with the wallet on your phone.',
  waiting: 'Waiting for your wallet…',
  ended: 'This code is no longer valid.',
  again: 'Show a new code',
  // A wallet shows it: at most 300 characters, the number first, since a long name may be cut.
  message:
    'Number {number}: sign only if a page that you opened yourself shows it. Logs your account …{tail} in at {domain} for a page of {host}.',
}
const es: typeof en = {
  number: 'Número de esta solicitud',
  compare:
    'Su billetera muestra el mismo número, {domain} y el final de su cuenta. Firme solo entonces, y nunca un código que alguien le haya enviado.',
  open: 'Firmar en una billetera de este dispositivo',
  code: 'Código QR de la solicitud de firma',
  scan: 'O escanéelo con la billetera de su teléfono.',
  waiting: 'Esperando a su billetera…',
  ended: 'Este código ya no es válido.',
  again: 'Mostrar otro código',
  message:
    'Número {number}: firme solo si lo muestra una página que usted mismo abrió. Inicia sesión con su cuenta …{tail} en {domain} para una página de {host}.',
}

const MESSAGE_CHARACTERS = 300

interface Asked {
  address: string
  xdr: string
  networkPassphrase: string
  isSpanish: boolean
  /** Ends the waiting. */
  signal: AbortSignal
  onSigned(xdr: string): void
}

/** Asks any wallet that knows SEP-7, on this device or a phone, and waits for what it signs. */
export function phoneWallet(asked: Asked): HTMLElement {
  const element = h('div')
  // Over plain http from another machine a browser encrypts nothing: copying and pasting is left.
  if (isSecureContext) void begin(element, asked)
  return element
}

async function begin(element: HTMLElement, asked: Asked): Promise<void> {
  const { signal, isSpanish, onSigned } = asked
  const words = isSpanish ? es : en
  const status = h('p', { role: 'status' }, words.waiting)
  element.replaceChildren(status)
  try {
    const { parts, collect } = await request(asked, words)
    element.replaceChildren(...parts, status)
    onSigned(await collect(signal))
  } catch (error) {
    if (signal.aborted) return
    status.textContent = error instanceof LoginEnded ? words.ended : String((error as Error).message)
    const again = () => void begin(element, asked)
    element.replaceChildren(status, h('button', { type: 'button', onclick: again }, words.again))
  }
}

async function request({ address, xdr, networkPassphrase, signal }: Asked, words: typeof en) {
  // It is loaded by now: the challenge was checked.
  const { describeChallenge } = await import('../../wallet/challenge.ts')
  const { homeDomain, hash } = describeChallenge(xdr, networkPassphrase)
  const { callback, collect } = await openPlace(hash, networkPassphrase, signal)
  const number = String((crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) % 10_000).padStart(4, '0')
  const values = { number, domain: homeDomain, tail: address.slice(-4), host: location.host }
  const message = fill(words.message, values).slice(0, MESSAGE_CHARACTERS)
  const query = { xdr, callback: `url:${callback}`, pubkey: address, msg: message }
  const link = linkOf({ ...query, network_passphrase: networkPassphrase })
  const figure = h('figure', {}, h('figcaption', {}, words.scan))
  qrCode(link, words.code, 'L').then(
    code => figure.prepend(code),
    () => figure.remove(),
  )
  const parts = [
    h('p', {}, `${words.number}: `, h('strong', { id: 'number' }, number)),
    h('p', {}, fill(words.compare, values)),
    h('p', {}, h('a', { href: link }, words.open)),
    figure,
  ]
  return { parts, collect }
}

const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '')

/** SEP-7 wants spaces as %20. */
const linkOf = (query: Readonly<Record<string, string>>): string =>
  `web+stellar:tx?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`
