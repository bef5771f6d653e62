import { Html, type Piece, html } from './html.ts'
import { type Texts, word } from './texts.ts'

/** A label and its value; the copy button appears once the script runs. */
export function fact(t: Texts, named: string, value: string, copied: string | null = value): Html {
  const label = word(t, named)
  const button = html`<button
    type="button"
    class="copy"
    hidden
    data-copy="${copied ?? ''}"
    data-copied="${t.copied}"
    aria-label="${t.copy}: ${label}"
  >
    ${t.copy}
  </button>`
  return html`<div class="fact">
    <dt>${label}</dt>
    <dd><span>${value}</span> ${copied === null ? null : button}</dd>
  </div>`
}

export const facts = (lines: Piece): Html => html`<dl class="facts">${lines}</dl>`

/** A moment; the page's script shows it in the reader's time zone. */
export const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`

/** A QR code as an inline image; its library is loaded with the first one. */
export async function qrCode(text: string, label: string): Promise<Html> {
  const { default: QRCode } = await import('qrcode')
  const source = await QRCode.toDataURL(text, { margin: 1, width: 480, errorCorrectionLevel: 'M' })
  return html`<figure class="qr">
    <img src="${new Html(source)}" alt="${label}" width="240" height="240" />
    <figcaption>${label}</figcaption>
  </figure>`
}

const drawings = {
  done: 'M5 13l4.5 4.5L19 7.5',
  wait: 'M12 6.5V12l3.5 2.5',
  back: 'M9 6L4 11l5 5M4 11h10a5 5 0 0 1 0 10h-2',
  stop: 'M7 7l10 10M17 7L7 17',
} as const
export type Drawing = keyof typeof drawings

/** An icon for the status; the text beside it says the same. */
export const sign = (drawing: Drawing): Html =>
  html`<svg class="sign ${drawing}" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="11" />
    <path d="${drawings[drawing]}" />
  </svg>`

export const alert = (problem: string | undefined): Html | null =>
  problem ? html`<p class="problem" role="alert">${problem}</p>` : null
