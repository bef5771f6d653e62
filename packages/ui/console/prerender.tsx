import type { QueryClient } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { createStaticHandler, createStaticRouter, StaticRouterProvider, type RouteObject } from 'react-router'
import { AppFrame } from './mount.tsx'

/** A page that is HTML already in the build. */
interface PrerenderedPage {
  /** Without parameters, such as `/sign-in`. */
  path: string
  /** Of the browser's tab. */
  title: string
  /** The scripts that the page needs besides the entry, by their path in the console. */
  modules: readonly string[]
}

/** What a console's `prerender.tsx` exports for its build. */
export interface Prerender {
  pages: readonly PrerenderedPage[]
  /** The title of the page for unknown addresses; without one the browser renders that page. */
  notFoundTitle?: string | undefined
  /** The HTML inside the root element. */
  render(path: string): Promise<string>
  /** The paths of all routes, with parameters as `:name`. */
  routePaths: readonly string[]
}

export function createPrerender(
  routes: RouteObject[],
  queries: QueryClient,
  pages: readonly PrerenderedPage[],
  notFoundTitle?: string,
): Prerender {
  const { query, dataRoutes } = createStaticHandler(routes)
  return {
    pages,
    notFoundTitle,
    routePaths: [...new Set(pathsOf(routes, ''))],
    async render(path) {
      const context = await query(new Request(`http://build.invalid${path}`))
      if (context instanceof Response) throw new Error(`${path} redirects and cannot be prerendered.`)
      for (const error of Object.values(context.errors ?? {})) throw error
      const router = createStaticRouter(dataRoutes, context)
      return renderToString(
        <AppFrame queries={queries}>
          <StaticRouterProvider router={router} context={context} hydrate={false} />
        </AppFrame>,
      )
    },
  }
}

function pathsOf(routes: readonly RouteObject[], parent: string): string[] {
  return routes.flatMap(route => {
    if (route.path === '*') return []
    const path = `${parent}/${route.path ?? ''}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
    return route.children ? pathsOf(route.children, path) : [path]
  })
}
