import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { railKind } from '@windlass/contracts/anchor-rails.ts'
import { pingDatabase } from '@windlass/service/database.ts'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { feePercent } from '../requests/asset.ts'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#1c2024;background:#fff}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.5rem}dt{color:#60646c}dd{margin:0;overflow-wrap:anywhere}
a{color:#0b5cad}@media(prefers-color-scheme:dark){body{color:#edeef0;background:#111113}dt{color:#b0b4ba}a{color:#70b8ff}}`
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
const PUBLIC_NETWORK = 'Public Global Stellar Network ; September 2015'

/** The page for people who open the anchor's home domain in a browser. */
export function serveHomePage(app: FastifyInstance, { config, database }: Deps): void {
  app.get('/', async (_request, reply) => {
    const available = await pingDatabase(database).then(
      () => true,
      () => false,
    )
    return reply
      .code(available ? 200 : 503)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache')
      .send(homePage(config.anchor, available))
  })
}

function homePage({ plan, accounts, network, publicUrl }: AnchorConfig, available: boolean): string {
  const { asset, limits, fees } = plan
  const rails = plan.rails.map(name => railKind(name, asset.anchoredTo))
  const facts: [string, string][] = [
    ['Status', available ? 'Operational' : 'Unavailable'],
    ['Asset', escapeHtml(`${asset.code} (${asset.name}), pegged to ${asset.anchoredTo}`)],
    ['Issuer', escapeHtml(accounts.issuer)],
    ['Payment methods', escapeHtml(rails.map(({ label, currency }) => `${label} (${currency})`).join(', '))],
    ['Fee', escapeHtml(`${fees.fixed} ${asset.code} + ${feePercent(fees.percentage)} %`)],
    ['Limits', escapeHtml(`${limits.min} to ${limits.max} ${asset.code}`)],
    ['Support', `<a href="mailto:${escapeHtml(plan.businessEmail)}">${escapeHtml(plan.businessEmail)}</a>`],
    ['For wallets', `<a href="${escapeHtml(publicUrl)}/.well-known/stellar.toml">stellar.toml</a>`],
  ]
  const name = escapeHtml(plan.organizationName)
  const test =
    network.passphrase === PUBLIC_NETWORK ? '' : '<p>This is a test network. Its assets have no value.</p>'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${name}</title><style>${STYLE}</style></head><body><h1>${name}</h1>
<p>A Stellar anchor: deposit and withdraw ${escapeHtml(asset.code)} with any wallet that supports SEP-24 or SEP-6. Add the home domain <strong>${escapeHtml(plan.homeDomain)}</strong> in your wallet.</p>${test}
<dl>${facts.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl></body></html>`
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
