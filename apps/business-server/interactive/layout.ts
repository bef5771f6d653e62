import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import type { AnchorSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'
import type { Texts } from './texts.ts'

export interface Page {
  title: string
  anchor: AnchorConfig
  t: Texts
  /** A banner for networks and rails where no money moves. */
  test: boolean
  body: Html
  /** The founder's own look; absent where it cannot be read. */
  branding?: AnchorSettings['branding']
  /** The current one of the four steps, from 0; absent on pages outside the steps. */
  step?: number
  /** What the page's script watches: it loads the page again when this changes. */
  live?: { url: string; version: string }
  /** When the page posts the transaction to the wallet that opened it: at the `end` of the customer's part, at `changes`. */
  posts?: string
}

// Only this server's own style and script, and inline images.
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self' https: http:; base-uri 'none'; frame-ancestors 'none'"

/** Sends a page; nothing of it is kept by the browser. */
export function sendPage(reply: FastifyReply, page: Page, status = 200): FastifyReply {
  return (
    reply
      .code(status)
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-store')
      // Not no-referrer: with it browsers send forms with the origin "null".
      .header('referrer-policy', 'same-origin')
      .type('text/html; charset=utf-8')
      .send(document(page).text)
  )
}

function document({ title, anchor, t, test, body, branding, step, live, posts }: Page): Html {
  const { organizationName, businessEmail, homeDomain } = anchor.plan
  const { color = null, logo = null, supportEmail = null } = branding ?? {}
  const support = supportEmail ?? businessEmail
  return html`<!doctype html>
<html lang="${t.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · ${organizationName}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/interactive/assets/style.css">
${color ? html`<link rel="stylesheet" href="/interactive/colors/${color.slice(1)}.css" />` : null}
<script src="/interactive/assets/live.js" defer></script>
</head>
<body${live ? html` data-live="${live.url}" data-version="${live.version}"` : null}${posts ? html` data-posts="${posts}"` : null}>
${test ? html`<aside class="banner"><strong>TEST</strong> ${t.test}</aside>` : null}
<header>${logo ? html`<img class="mark" src="/interactive/logos/${logo}" alt="" />` : html`<span class="mark" aria-hidden="true">${[...organizationName.trim()][0] ?? ''}</span>`}<span><strong>${organizationName}</strong><small>${homeDomain}</small></span></header>
<main>${step === undefined ? null : stepsBar(t, step)}${body}</main>
<footer><a href="mailto:${support}">${t.help(support)}</a></footer>
</body>
</html>`
}

const stepsBar = (t: Texts, at: number): Html =>
  html`<ol class="steps" aria-label="${t.stepsLabel}">
    ${t.steps.map(
      (name, index) =>
        html`<li
          class="${index < at ? 'past' : index === at ? 'now' : 'next'}"
          ${index === at ? html`aria-current="step"` : null}
        >
          ${name}
        </li>`,
    )}
  </ol>`
