import { createBrowserRouter, redirect } from 'react-router'
import { queries, whenExpired } from './api.ts'
import { paths } from './paths.ts'
import { demandSession, hint } from './session.ts'
import { RouteError, Shell } from './shell.tsx'

/** One line for each page; each is fetched when it is first opened. */
export const router = createBrowserRouter([
  {
    path: 'login',
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    lazy: () => import('./sign-in/sign-in.tsx'),
  },
  {
    path: '/',
    middleware: [demandSession],
    Component: Shell,
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      {
        // Inside the shell, so that an error keeps the navigation.
        ErrorBoundary: RouteError,
        children: [
          { index: true, loader: () => redirect(paths.applications({ status: 'applied' })) },
          { path: 'applications', lazy: () => import('./applications/queue.tsx') },
          { path: 'jobs', lazy: () => import('./jobs/jobs.tsx') },
          { path: 'fleet', lazy: () => import('./fleet/fleet.tsx') },
          { path: 'routing/:decisionId?', lazy: () => import('./routing/explainer.tsx') },
          { path: 'policy', lazy: () => import('./policy/policy.tsx') },
          { path: 'audit', lazy: () => import('./audit/audit.tsx') },
          { path: '*', lazy: () => import('./not-found.tsx') },
        ],
      },
    ],
  },
])

whenExpired(() => {
  const { pathname, search } = router.state.location
  if (pathname === '/login') return
  queries.clear()
  hint.forget()
  void router.navigate(paths.login(pathname + search), { state: { expired: true } })
})
