import type { ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import { createStaticHandler, createStaticRouter, StaticRouterProvider, type RouteObject } from 'react-router'
import { byLanguage, setLanguage, text } from '../catalogue.ts'
import { AppFrame, type Frame } from './mount.tsx'

/** A page that is HTML already in the build. */
interface PrerenderedPage {
  /** Without parameters, such as `/sign-in`. */
  path: string
  /** Title of the browser's tab. */
  title: string
  /** The scripts that the page needs besides the entry, by their path in the console. */
  modules: readonly string[]
}

/** The words of a page's head and of its `noscript`. */
interface PageFrame {
  /** For search engines and previews of links. */
  description: string
  needsScript: string
}

/** What a console's `prerender.tsx` exports for the build of each language. */
export interface Prerender {
  frame: PageFrame
  pages: readonly PrerenderedPage[]
  /** The title of the page for unknown addresses; without one the browser renders that page. */
  notFoundTitle: string | undefined
  /** The HTML inside the root element. */
  render(path: string): Promise<string>
  /** What is around a page that the browser renders, to be seen before any script has loaded; empty without one. */
  renderShell(): Promise<string>
  /** Paths of pages that the browser renders without that. */
  outside: readonly string[]
  /** The paths of all routes, with parameters as `:name`. */
  routePaths: readonly string[]
}

interface PrerenderOptions {
  routes: RouteObject[]
  frame?: Frame
  /** Description of the console, for search engines. */
  description: string
  pages: readonly PrerenderedPage[]
  notFoundTitle?: string
  /** Around every page that the browser renders. */
  shell?: ComponentType
  /** But these. */
  outside?: readonly string[]
}

const needsScript = text(
  'Windlass needs JavaScript. Enable it, then reload the page.',
  'Windlass necesita JavaScript. Actívelo y vuelva a cargar la página.',
)

export function createPrerender({
  routes,
  frame,
  description,
  pages,
  notFoundTitle,
  shell,
  outside = [],
}: PrerenderOptions): Prerender {
  setLanguage(byLanguage<string>('en', 'es'))
  return {
    frame: { description, needsScript },
    pages,
    notFoundTitle,
    outside,
    routePaths: [...new Set(pathsOf(routes, ''))],
    render: path => renderPage(routes, frame, path),
    renderShell: async () => (shell ? renderPage([{ path: '/', Component: shell }], frame, '/') : ''),
  }
}

async function renderPage(routes: RouteObject[], frame: Frame | undefined, path: string): Promise<string> {
  const { query, dataRoutes } = createStaticHandler(routes)
  const context = await query(new Request(`http://build.invalid${path}`))
  if (context instanceof Response) throw new Error(`${path} redirects and cannot be prerendered.`)
  for (const error of Object.values(context.errors ?? {})) throw error
  const router = createStaticRouter(dataRoutes, context)
  return renderToString(
    <AppFrame frame={frame}>
      <StaticRouterProvider router={router} context={context} hydrate={false} />
    </AppFrame>,
  )
}

function pathsOf(routes: readonly RouteObject[], parent: string): string[] {
  return routes.flatMap(route => {
    if (route.path === '*') return []
    const path = `${parent}/${route.path ?? ''}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
    return route.children ? pathsOf(route.children, path) : [path]
  })
}
