import { matchRoutes, type RouteObject } from 'react-router'

const switchLink = () => document.querySelector<HTMLAnchorElement>('a[data-installation]')

/** Keeps the link to the other installation (packages/service/http/installation.ts) at the same kind of page. */
export function followPage(routes: RouteObject[], pathname: string): void {
  const link = switchLink()
  if (link) link.href = `${link.dataset.installation}${withoutIds(routes, pathname)}`
}

/** What this installation is, and the address of a page of the same console at the other one; null where it has none. */
export function otherInstallation(): { kind: 'live' | 'sandbox'; addressOf(path: string): string } | null {
  const base = switchLink()?.dataset.installation
  if (!base) return null
  const kind = document.querySelector('[data-kind="sandbox"]') ? 'sandbox' : 'live'
  return { kind, addressOf: path => `${base}${path}` }
}

/** The page down to the first id, which the other installation does not know; the first page where that is none. */
export function withoutIds(routes: RouteObject[], pathname: string): string {
  const matches = matchRoutes(routes, pathname) ?? []
  const ids = Object.values(matches.at(-1)?.params ?? {})
  const parts = pathname.split('/')
  const first = parts.findIndex(part => ids.includes(decodeURIComponent(part)))
  const path = first < 0 ? pathname : parts.slice(0, first).join('/') || '/'
  const found = matchRoutes(routes, path)?.every(({ route }) => route.path !== '*')
  return found ? path : '/'
}
