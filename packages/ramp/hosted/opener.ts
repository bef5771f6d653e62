import type { Signer, WindlassRamp } from '../windlass-ramp.ts'

const PREFIX = 'windlass-ramp:'
/** Someone confirms on a device. */
const SIGN_WITHIN_MS = 300_000

interface Message {
  type: string
  id?: string
  address?: string
  transaction?: string
  error?: string
}

/** Messages of the wallet that opened this page; those of every other window and origin are ignored. */
function onMessage(wallet: Window, origin: string, listen: (message: Message) => void): () => void {
  const receive = (event: MessageEvent<unknown>) => {
    const { data } = event
    if (event.source !== wallet || event.origin !== origin) return
    if (typeof data === 'object' && data !== null && 'type' in data) listen(data as Message)
  }
  addEventListener('message', receive)
  return () => removeEventListener('message', receive)
}

/** The wallet's signer over `postMessage`, once it has named its account. */
export function openerSigner(wallet: Window, origin: string): Promise<Signer> {
  return new Promise(resolve => {
    const stop = onMessage(wallet, origin, ({ type, address }) => {
      if (type !== `${PREFIX}account` || typeof address !== 'string') return
      stop()
      resolve({ address, sign: (xdr, { networkPassphrase }) => sign(wallet, origin, xdr, networkPassphrase) })
    })
    wallet.postMessage({ type: `${PREFIX}ready` }, origin)
  })
}

function sign(
  wallet: Window,
  origin: string,
  transaction: string,
  networkPassphrase: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const id = crypto.randomUUID()
    const finish = (end: () => void) => {
      stop()
      clearTimeout(timer)
      end()
    }
    const stop = onMessage(wallet, origin, message => {
      if (message.type !== `${PREFIX}signed` || message.id !== id) return
      const { transaction: signed, error } = message
      if (typeof signed === 'string') finish(() => resolve(signed))
      else finish(() => reject(new Error(error ?? 'The wallet did not sign.')))
    })
    const timer = setTimeout(
      () => finish(() => reject(new Error('The wallet did not answer.'))),
      SIGN_WITHIN_MS,
    )
    wallet.postMessage({ type: `${PREFIX}sign`, id, transaction, networkPassphrase }, origin)
  })
}

/** Passes the element's events on to the wallet. */
export function sendEvents(ramp: WindlassRamp, wallet: Window, origin: string): void {
  for (const name of ['start', 'status']) {
    ramp.addEventListener(`windlass-${name}`, event => {
      const { detail } = event as CustomEvent<unknown>
      wallet.postMessage({ type: `${PREFIX}${name}`, detail: JSON.parse(JSON.stringify(detail)) }, origin)
    })
  }
}
