import { offerWallets } from './connect.ts'
import { openerSigner, sendEvents } from './opener.ts'
import '../windlass-ramp.ts'

/*
 * The hosted page: a wallet opens it in a window of its own, names its origin and what it wants in the address, and
 * answers requests to sign by messages. Who opens it directly connects a wallet here. See README.md.
 */

const ATTRIBUTES = ['kind', 'amount', 'asset', 'rail', 'region', 'currency', 'external', 'lang', 'network']
const asked = new URLSearchParams(location.search)
const ramp = document.querySelector('windlass-ramp')
const language = asked.get('lang') ?? navigator.language
const isSpanish = /^es\b/i.test(language)
if (isSpanish) {
  document.documentElement.lang = 'es'
  document.title = 'Depositar o retirar con anchors de Stellar'
  const heading = document.querySelector('h1')
  if (heading) heading.textContent = 'Depositar o retirar'
  const band = document.querySelector<HTMLElement>('#band')
  if (band) band.textContent = band.dataset.es ?? ''
}
for (const name of ATTRIBUTES) {
  const value = asked.get(name)
  if (value !== null) ramp?.setAttribute(name, value)
}
const origin = asked.get('origin')
const wallet = window.opener as Window | null
if (ramp && wallet && origin !== null && URL.canParse(origin)) {
  const its = new URL(origin).origin
  // Anyone can open this page in their own name: the customer sees whose wallet it is.
  const line = document.querySelector<HTMLElement>('#wallet')
  if (line) {
    line.textContent = isSpanish ? `Billetera: ${its}` : `Wallet: ${its}`
    line.hidden = false
  }
  void openerSigner(wallet, its).then(signer => {
    ramp.signer = signer
  })
  sendEvents(ramp, wallet, its)
} else {
  const panel = document.querySelector<HTMLElement>('#connect')
  if (ramp && panel) offerWallets(ramp, panel, isSpanish)
}
