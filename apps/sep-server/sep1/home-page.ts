import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import {
  type AnchorSettings,
  type Direction,
  directions,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import { pingDatabase } from '@windlass/service/postgres/database.ts'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { commonFee, isOpen, openRails, pauseOf } from '../clients/terms.ts'
import { feePercent } from '../requests/asset.ts'
import { serveTryDeposit, type TryDeposit } from './try-deposit.ts'
import { PUBLIC_NETWORK } from '@windlass/stellar/network.ts'

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#1c2024;background:#fff}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.5rem}dt{color:#60646c}dd{margin:0;overflow-wrap:anywhere}#try-deposit{margin-top:2rem}
a{color:#0b5cad}img{max-height:4rem;max-width:100%}@media(prefers-color-scheme:dark){body{color:#edeef0;background:#111113}dt{color:#b0b4ba}a{color:#70b8ff}}`

/** Scripts run only where a deposit can be tried. */
const policyFor = (style: string, trial: TryDeposit | null) =>
  [
    "default-src 'none'",
    "img-src 'self'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    ...(trial ? ["script-src 'self'", `connect-src ${["'self'", ...trial.origins].join(' ')}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Links in the operator's colour, mixed with white in the dark. */
const styleOf = ({ color }: AnchorSettings['branding']): string =>
  color === null
    ? STYLE
    : `${STYLE}a{color:${color}}@media(prefers-color-scheme:dark){a{color:color-mix(in srgb,${color} 45%,#fff)}}`

/** The page for people who open the anchor's home domain in a browser. */
export function serveHomePage(app: FastifyInstance, { config, database, terms }: Deps): void {
  const trial = serveTryDeposit(app, config.anchor)
  app.get('/', async (_request, reply) => {
    const available = await pingDatabase(database).then(
      () => true,
      () => false,
    )
    const settings = await terms.current()
    const style = styleOf(settings.branding)
    const offered = available && isOpen(config.anchor, settings, 'deposit') ? trial : null
    return reply
      .code(available ? 200 : 503)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policyFor(style, offered))
      .header('cache-control', 'no-cache')
      .send(homePage(config.anchor, settings, { style, available, trial: offered }))
  })
}

interface Shown {
  style: string
  available: boolean
  /** Null where no deposit can be tried. */
  trial: TryDeposit | null
}

function homePage(
  anchor: AnchorConfig,
  settings: AnchorSettings,
  { style, available, trial }: Shown,
): string {
  const { plan, network, publicUrl } = anchor
  const assets = servedAssets(anchor)
  const codes = [...new Set(assets.map(({ code }) => code))].join(', ')
  const { limits, branding } = settings
  const open = directions.map(direction => openRails(anchor, settings, direction))
  const rails = [...new Map(open.flat().map(rail => [rail.name, rail])).values()]
  const support = branding.supportEmail ?? plan.businessEmail
  const facts: [string, string][] = [
    ['Status', available ? 'Operational' : 'Unavailable'],
    ...assets.flatMap(({ code, name, anchoredTo, issuer }): [string, string][] => [
      ['Asset', escapeHtml(`${code} (${name}), pegged to ${anchoredTo}`)],
      ['Issuer', escapeHtml(issuer)],
    ]),
    ['Payment methods', escapeHtml(rails.map(({ label, currency }) => `${label} (${currency})`).join(', '))],
    ...directions.map((direction): [string, string] => [
      direction === 'deposit' ? 'Deposit fee' : 'Withdrawal fee',
      escapeHtml(feeText(anchor, settings, direction)),
    ]),
    ...directions.flatMap((direction): [string, string][] => {
      const paused = pauseOf(settings, direction)
      return paused === null
        ? []
        : [[direction === 'deposit' ? 'Deposits' : 'Withdrawals', escapeHtml(paused)]]
    }),
    ['Limits', escapeHtml(`${limits.min} to ${limits.max} ${codes}`)],
    ['Support', `<a href="mailto:${escapeHtml(support)}">${escapeHtml(support)}</a>`],
    ['For wallets', `<a href="${escapeHtml(publicUrl)}/.well-known/stellar.toml">stellar.toml</a>`],
  ]
  const name = escapeHtml(plan.organizationName)
  const logo = branding.logo ? `<img src="/interactive/logos/${branding.logo}" alt="">` : ''
  const test =
    network.passphrase === PUBLIC_NETWORK ? '' : '<p>This is a test network. Its assets have no value.</p>'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${name}</title><style>${style}</style></head><body><main>${logo}<h1>${name}</h1>
<p>A Stellar anchor: deposit and withdraw ${escapeHtml(codes)} with any wallet that supports SEP-24 or SEP-6. Add the home domain <strong>${escapeHtml(plan.homeDomain)}</strong> in your wallet.</p>${test}
<dl>${facts.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl>${trial ? trialOf(trial) : ''}</main></body></html>`
}

const trialOf = ({ script, anchor }: TryDeposit) =>
  `<section id="try-deposit" data-anchor="${escapeHtml(anchor)}"></section><script type="module" src="${script}"></script>`

function feeText(anchor: AnchorConfig, settings: AnchorSettings, direction: Direction): string {
  const fee = commonFee(anchor, settings, direction)
  const units = anchor.plan.furtherAssets ? '' : ` ${anchor.plan.asset.code}`
  return fee ? `${fee.fixed}${units} + ${feePercent(fee.percentage)} %` : 'Depends on the payment method'
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
