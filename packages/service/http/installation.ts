import type { FastifyInstance } from 'fastify'
import { ConfigError, flag, optional, url, type Env } from '../process/env.ts'
import { escapeHtml } from './html.ts'

/** A sandbox, or a live installation with a sandbox beside it, and where the founder console of the other one is. */
export interface Installation {
  kind: 'live' | 'sandbox'
  other: string
}

/** LIVE_URL makes an installation a sandbox, SANDBOX_URL says that one is beside it. Throws {@link ConfigError} for both. */
export function installation(env: Env): Installation | null {
  const isSandbox = optional(env, 'LIVE_URL') !== undefined
  if (!isSandbox && optional(env, 'SANDBOX_URL') === undefined) return null
  if (isSandbox && optional(env, 'SANDBOX_URL') !== undefined)
    throw new ConfigError('LIVE_URL and SANDBOX_URL are both set: an installation is live or a sandbox.')
  if (isSandbox && flag(env, 'IS_MAINNET'))
    throw new ConfigError(
      'LIVE_URL makes this a sandbox, which holds no real money: IS_MAINNET must be false.',
    )
  return isSandbox
    ? { kind: 'sandbox', other: url(env, 'LIVE_URL') }
    : { kind: 'live', other: url(env, 'SANDBOX_URL') }
}

const TEXTS = {
  en: {
    label: 'Installation',
    live: 'Live',
    sandbox: 'Sandbox',
    band: 'Sandbox: no real money',
  },
  es: {
    label: 'Instalación',
    live: 'Entorno real',
    sandbox: 'Entorno de pruebas',
    band: 'Entorno de pruebas: sin dinero real',
  },
}

const SCRIPT_PATH = '/installation.js'
/** The browser goes from page to page by itself. */
const SCRIPT = `for (const press of ['click', 'auxclick'])
  addEventListener(press, ({ target }) => {
    const link = target.closest('a[data-installation]')
    if (link) link.href = link.dataset.installation + location.pathname
  })
`

/** Serves the script of the bar. */
export const serveBarScript = (app: FastifyInstance): unknown =>
  app.get(SCRIPT_PATH, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(SCRIPT),
  )

/** Says on each page of a sandbox that it is one, in the language of the page. */
export const bandText = (language: string): string => textsIn(language).band

/** What a sandbox is called, before the subject of an email. */
export const sandboxName = (language: string): string => textsIn(language).sandbox

const textsIn = (language: string) => (language === 'es' ? TEXTS.es : TEXTS.en)

/** Marks each page of the documentation, which is in English. */
export type MarkPage = (html: string) => string

/** At a sandbox, with a band above the text. */
export const markOf = (isSandbox: boolean | undefined): MarkPage =>
  isSandbox
    ? html => html.replace(/<main[^>]*>/, main => `${main}<p class="band">${bandText('en')}</p>`)
    : html => html

/**
 * The page with a bar: what this installation is, and the way to the same page of the other one, which a
 * script of its own keeps.
 */
export function withInstallation(
  html: string,
  { kind, other }: Installation,
  language: string,
  console: string,
): string {
  const texts = textsIn(language)
  const to = escapeHtml(`${other}/switch/${console}`)
  const choices = (['live', 'sandbox'] as const).map(each =>
    each === kind
      ? `<strong aria-current="true">${texts[each]}</strong>`
      : `<a href="${to}/" data-installation="${to}">${texts[each]}</a>`,
  )
  const band = kind === 'sandbox' ? `<p>${texts.band}</p>` : ''
  const bar = `<aside class="installation" data-kind="${kind}" aria-label="${texts.label}">${band}<nav aria-label="${texts.label}">${choices.join('')}</nav></aside><script src="${SCRIPT_PATH}"></script>`
  // Behind the page, whose first link skips to its content; the style sheet shows it above.
  return html.replace('<noscript>', noscript => bar + noscript)
}

/**
 * Leads from the other installation to a console of this one: `/switch/admin-console/anchors/4711`. An id of the other one
 * is nothing here: of the console's own pages it is the last one above it that exists.
 */
export function serveSwitch(
  app: FastifyInstance,
  own: string,
  pages: readonly string[],
  consoles: Readonly<Record<string, string>>,
): void {
  app.get('/switch/:console/*', (request, reply) => {
    const { console, '*': path } = request.params as { console: string; '*': string }
    reply.header('cache-control', 'no-store')
    const name = Object.hasOwn(consoles, console) ? console : 'founder-console'
    const address = consoles[name]
    if (address === undefined) return reply.redirect('/')
    const target = new URL(address)
    target.pathname = name === own ? nearest(pages, path) : `/switch/${console}/${path}`
    return reply.redirect(target.href)
  })
}

function nearest(pages: readonly string[], path: string): string {
  const parts = path.split('/').filter(Boolean)
  for (; parts.length > 0; parts.pop()) {
    const page = `/${parts.join('/')}`
    if (pages.includes(page)) return page
  }
  return '/'
}
