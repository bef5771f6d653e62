import { isNative, servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { spanishRailLabels } from '@windlass/contracts/platform/anchor-rails.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import {
  type AnchorSettings,
  type Direction,
  directions,
  pauseMessageOf,
  pauseMessages,
  type PauseMessage,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import { pingDatabase } from '@windlass/service/postgres/database.ts'
import { languageOf } from '@windlass/service/http/language.ts'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { commonFee, isOpen, openRails, pauseOf } from '../clients/terms.ts'
import { feePercent } from '../requests/asset.ts'
import { serveTryDeposit, type TryDeposit } from './try-deposit.ts'
import { PUBLIC_NETWORK } from '@windlass/stellar/network.ts'

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:2rem 1rem;color:#10202e;background:#eef2f7}
main{max-width:36rem;margin:0 auto;padding:1.5rem;background:#fff;border:1px solid #dbe2ea;border-radius:1rem}h1{margin:0 0 .5rem;font-size:1.75rem;line-height:1.2}
.test{padding:.5rem .875rem;border-radius:.625rem;background:#fff4de;color:#7a4a00}#try-deposit{margin:1.5rem 0}
dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;margin:1.5rem 0 0}dt,dd{padding:.5rem 0;border-top:1px solid #dbe2ea}dt{color:#52606d;padding-right:1.5rem}dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
a{color:#0b57c9}img{max-height:4rem;max-width:100%}@media(max-width:30rem){dl{grid-template-columns:1fr}dd{border:0;padding-top:0}}
@media(prefers-color-scheme:dark){body{color:#e9eef3;background:#0d141b}main{background:#17212b;border-color:#2e3c49}dt,dd{border-color:#2e3c49}dt{color:#a3b2c0}a{color:#7db2ff}.test{background:#33280f;color:#f3c676}}`

type Lang = 'en' | 'es'
const texts = {
  en: {
    status: 'Status',
    states: { true: 'Operational', false: 'Unavailable' },
    asset: 'Asset',
    pegged: (asset: string, to: string) => `${asset}, pegged to ${to}`,
    issuer: 'Issuer',
    rails: 'Payment methods',
    railLabel: (label: string) => label,
    fees: { deposit: 'Deposit fee', withdrawal: 'Withdrawal fee' },
    byRail: 'Depends on the payment method',
    sides: { deposit: 'Deposits', withdrawal: 'Withdrawals' },
    limits: 'Limits',
    range: (min: string, max: string) => `${min} to ${max}`,
    support: 'Support',
    wallets: 'For wallets',
    what: (codes: string) =>
      `A Stellar anchor: deposit and withdraw ${codes} with any wallet that supports SEP-24 or SEP-6. Add this home domain in your wallet:`,
    test: 'This is a test network. Its assets have no value.',
    pauses: pauseMessages as Readonly<Record<PauseMessage, string>>,
  },
  es: {
    status: 'Estado',
    states: { true: 'En funcionamiento', false: 'No disponible' },
    asset: 'Activo',
    pegged: (asset: string, to: string) => `${asset}, vinculado a ${to}`,
    issuer: 'Emisor',
    rails: 'Métodos de pago',
    railLabel: (label: string) => spanishRailLabels[label] ?? label,
    fees: { deposit: 'Comisión de depósito', withdrawal: 'Comisión de retiro' },
    byRail: 'Depende del método de pago',
    sides: { deposit: 'Depósitos', withdrawal: 'Retiros' },
    limits: 'Límites',
    range: (min: string, max: string) => `de ${min} a ${max}`,
    support: 'Soporte',
    wallets: 'Para billeteras',
    what: (codes: string) =>
      `Un anchor de Stellar: deposite y retire ${codes} con cualquier billetera que admita SEP-24 o SEP-6. Añada este dominio en su billetera:`,
    test: 'Esta es una red de pruebas. Sus activos no tienen valor.',
    pauses: {
      unavailable: 'No disponible en este momento. Inténtelo más tarde.',
      maintenance: 'En pausa por mantenimiento. Inténtelo más tarde.',
      outage: 'En pausa por un problema de un proveedor de pagos. Inténtelo más tarde.',
    },
  },
}

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
  app.get('/', async (request, reply) => {
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
      .header('vary', 'accept-language')
      .send(
        homePage(config.anchor, settings, {
          ...{ style, available, trial: offered },
          lang: languageOf(request.headers, ['en', 'es']),
        }),
      )
  })
}

interface Shown {
  lang: Lang
  style: string
  available: boolean
  /** Null where no deposit can be tried. */
  trial: TryDeposit | null
}

function homePage(
  anchor: AnchorConfig,
  settings: AnchorSettings,
  { lang, style, available, trial }: Shown,
): string {
  const { plan, network, publicUrl } = anchor
  const assets = servedAssets(anchor)
  const codes = [...new Set(assets.map(({ code }) => code))].join(', ')
  const { limits, branding } = settings
  const t = texts[lang]
  const number = (decimal: string) =>
    new Intl.NumberFormat(lang, { useGrouping: 'always', maximumFractionDigits: 7 }).format(
      decimal as Intl.StringNumericLiteral,
    )
  const open = directions.map(direction => openRails(anchor, settings, direction))
  const rails = [...new Map(open.flat().map(rail => [rail.name, rail])).values()]
  const support = branding.supportEmail ?? plan.businessEmail
  const facts: [string, string][] = [
    [t.status, t.states[`${available}`]],
    ...assets.flatMap(({ code, name, anchoredTo, issuer }): [string, string][] => {
      const called = `${code} (${name})`
      return isNative({ issuer })
        ? [[t.asset, escapeHtml(called)]]
        : [
            [t.asset, escapeHtml(t.pegged(called, anchoredTo))],
            [t.issuer, escapeHtml(issuer)],
          ]
    }),
    [
      t.rails,
      escapeHtml(rails.map(({ label, currency }) => `${t.railLabel(label)} (${currency})`).join(', ')),
    ],
    ...directions.map((direction): [string, string] => [
      t.fees[direction],
      escapeHtml(feeText(anchor, settings, direction, number) ?? t.byRail),
    ]),
    ...directions.flatMap((direction): [string, string][] => {
      const paused = pauseOf(settings, direction)
      const standard = paused === null ? undefined : pauseMessageOf(paused)
      return paused === null ? [] : [[t.sides[direction], escapeHtml(standard ? t.pauses[standard] : paused)]]
    }),
    [t.limits, escapeHtml(`${t.range(number(limits.min), number(limits.max))} ${codes}`)],
    [t.support, `<a href="mailto:${escapeHtml(support)}">${escapeHtml(support)}</a>`],
    [t.wallets, `<a href="${escapeHtml(publicUrl)}/.well-known/stellar.toml">stellar.toml</a>`],
  ]
  const name = escapeHtml(plan.organizationName)
  const logo = branding.logo ? `<img src="/interactive/logos/${branding.logo}" alt="">` : ''
  const test = network.passphrase === PUBLIC_NETWORK ? '' : `<p class="test">${t.test}</p>`
  return `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${name}</title><style>${style}</style></head><body><main>${logo}<h1>${name}</h1>
<p>${escapeHtml(t.what(codes))} <strong>${escapeHtml(plan.homeDomain)}</strong></p>${test}${trial ? trialOf(trial) : ''}
<dl>${facts.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl></main></body></html>`
}

const trialOf = ({ script, anchor }: TryDeposit) =>
  `<section id="try-deposit" data-anchor="${escapeHtml(anchor)}"></section><script type="module" src="${script}"></script>`

/** Null where it differs by rail. */
function feeText(
  anchor: AnchorConfig,
  settings: AnchorSettings,
  direction: Direction,
  number: (decimal: string) => string,
): string | null {
  const fee = commonFee(anchor, settings, direction)
  const units = anchor.plan.furtherAssets ? '' : ` ${anchor.plan.asset.code}`
  return fee && `${number(fee.fixed)}${units} + ${number(String(feePercent(fee.percentage)))} %`
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
