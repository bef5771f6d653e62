import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'

export interface Page {
  title: string
  anchorName: string
  /** A banner for networks and rails where no money moves. */
  test: boolean
  lang: string | null
  body: Html
  /** What the page's script watches: it loads the page again when this changes. */
  live?: { url: string; version: string }
  /** `postMessage`: the wallet that opened the page hears of the transaction. */
  callback?: string | null
}

// Nothing but this server's own style and script, and pictures that stand in the page.
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

function document({ title, anchorName, test, body, live, callback }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · ${anchorName}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/interactive/assets/style.css">
<script src="/interactive/assets/live.js" defer></script>
</head>
<body${live ? html` data-live="${live.url}" data-version="${live.version}"` : null}${callback ? html` data-callback="${callback}"` : null}>
${test ? html`<p class="banner"><strong>TEST</strong> No money moves here.</p>` : null}
<header><span class="mark" aria-hidden="true"></span>${anchorName}</header>
<main>${body}</main>
</body>
</html>`
}
