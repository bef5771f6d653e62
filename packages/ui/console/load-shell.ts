import { matchRoutes, type RouteObject } from 'react-router'

/** Loads what is around the current page, which has a script of its own: the page's HTML shows it until then. */
export async function loadShell(routes: RouteObject[]): Promise<void> {
  const route = matchRoutes(routes, location)?.[0]?.route
  if (document.getElementById('root')?.dataset.shell === undefined || typeof route?.lazy !== 'function')
    return
  const { Component } = await route.lazy()
  Object.assign(route, { Component, HydrateFallback: Component })
  delete route.lazy
}
