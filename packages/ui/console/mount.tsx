import { Fragment, StrictMode, useEffect, type ComponentType, type ReactNode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createBrowserRouter, matchRoutes, type DataRouter, type RouteObject } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { endHydration, startHydration } from '../hydration.ts'

/** What a console puts around its router. */
export type Frame = ComponentType<{ children: ReactNode }>

/** Starts a console in the page's root element; hydrates the element where the page was prerendered. */
export async function mountConsole(routes: RouteObject[], frame?: Frame): Promise<DataRouter> {
  const root = document.getElementById('root')!
  const prerendered = root.hasChildNodes() && root.dataset.shell === undefined
  const hydrationData = prerendered ? { loaderData: await loadMatched(routes) } : undefined
  const router = createBrowserRouter(routes, { hydrationData })
  const app = (
    <AppFrame frame={frame}>
      <RouterProvider router={router} />
    </AppFrame>
  )
  if (prerendered) {
    startHydration(root)
    hydrateRoot(root, app)
  } else {
    createRoot(root).render(app)
  }
  return router
}

/** What surrounds the router, in the browser and at build time. */
export function AppFrame({ frame: Around = Fragment, children }: { frame?: Frame; children: ReactNode }) {
  useEffect(endHydration, [])
  return (
    <StrictMode>
      <Around>{children}</Around>
    </StrictMode>
  )
}

/** Loads the scripts of the current page's routes before hydration. Prerendered pages need no data: null for each route. */
async function loadMatched(routes: RouteObject[]): Promise<Record<string, null>> {
  giveIds(routes)
  const matches = matchRoutes(routes, location) ?? []
  await Promise.all(
    matches.map(async ({ route }) => {
      if (typeof route.lazy !== 'function') return
      Object.assign(route, await route.lazy())
      delete route.lazy
    }),
  )
  return Object.fromEntries(matches.map(({ route }) => [route.id, null]))
}

function giveIds(routes: RouteObject[], parent: readonly number[] = []): void {
  routes.forEach((route, index) => {
    route.id ??= [...parent, index].join('-')
    if (route.children) giveIds(route.children, [...parent, index])
  })
}
