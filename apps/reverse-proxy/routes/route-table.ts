import type { ProxyRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import { hasPrefix } from './path.ts'

interface Route extends ProxyRoute {
  /** `platform`: set by our operator, its services are ours. `anchor`: set over the admin interface. */
  kind: 'platform' | 'anchor'
}

/** Where a request goes; `null`: nowhere, though the host is known. */
interface Choice {
  kind: Route['kind']
  target: string | null
}

/** Every host that is served. */
export interface RouteTable {
  has(host: string): boolean
  isPlatform(host: string): boolean
  /** `undefined` where the host is unknown. The longest prefix that fits `path` decides. */
  choose(host: string, path: string): Choice | undefined
  list(): Route[]
  /** Every target of every route, once. */
  targets(): string[]
  set(route: ProxyRoute): void
  remove(host: string): void
  /** The routes of anchors, as they are kept. */
  kept(): ProxyRoute[]
  /** Takes these for the routes of anchors. */
  keep(routes: readonly ProxyRoute[]): void
}

/** Figures of a service are for its operator; no rule can open them. */
const NEVER_ROUTED = '/metrics'

export function createRouteTable(platform: ReadonlyMap<string, string>, kept: ProxyRoute[]): RouteTable {
  const routes = new Map<string, Route>()
  const set = (route: ProxyRoute, kind: Route['kind']) => {
    const rules = [...route.rules].sort((a, b) => b.prefix.length - a.prefix.length)
    routes.set(route.host, { ...route, rules, kind })
  }
  const isPlatform = (host: string) => routes.get(host)?.kind === 'platform'
  for (const [host, target] of platform) set({ host, rules: [{ prefix: '/', target }] }, 'platform')
  const keep = (all: readonly ProxyRoute[]) => {
    const hosts = new Set(all.map(({ host }) => host))
    for (const { host, kind } of routes.values())
      if (kind === 'anchor' && !hosts.has(host)) routes.delete(host)
    for (const route of all) if (!isPlatform(route.host)) set(route, 'anchor')
  }
  keep(kept)

  return {
    has: host => routes.has(host),
    isPlatform,
    choose(host, path) {
      const route = routes.get(host)
      if (!route) return undefined
      if (hasPrefix(path.toLowerCase(), NEVER_ROUTED)) return { kind: route.kind, target: null }
      const rule = route.rules.find(({ prefix }) => hasPrefix(path, prefix))
      return { kind: route.kind, target: rule?.target ?? null }
    },
    list: () => [...routes.values()],
    targets() {
      const all = [...routes.values()].flatMap(route => route.rules.map(rule => rule.target))
      return [...new Set(all.filter(target => target !== null))]
    },
    set: route => set(route, 'anchor'),
    keep,
    remove: host => void (isPlatform(host) || routes.delete(host)),
    kept: () =>
      [...routes.values()].filter(route => route.kind === 'anchor').map(({ kind: _kind, ...route }) => route),
  }
}
