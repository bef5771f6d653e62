import { createBrowserRouter } from 'react-router'
import { queries, whenExpired } from './api.ts'
import { demandSession, hint } from './operator.ts'
import { paths } from './paths.ts'
import { RouteError, Shell } from './shell.tsx'

/** One line for each page; each is fetched when it is first opened. */
export const router = createBrowserRouter([
  {
    path: '/',
    Component: Shell,
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      {
        // Inside the shell, so that an error keeps the navigation.
        ErrorBoundary: RouteError,
        children: [
          { index: true, lazy: () => import('./home/home.tsx') },
          {
            path: 'apply',
            lazy: () => import('./apply/frame.tsx'),
            children: [
              { index: true, lazy: () => import('./apply/start.tsx') },
              { path: 'check', lazy: () => import('./apply/check.tsx') },
              { path: ':step', lazy: () => import('./apply/step.tsx') },
            ],
          },
          { path: 'submitted/:applicationId', lazy: () => import('./apply/submitted.tsx') },
          { path: 'redeem', lazy: () => import('./redeem/redeem.tsx') },
          { path: 'provisioning/:jobId', lazy: () => import('./provisioning/provisioning.tsx') },
          { path: 'sign-in', lazy: () => import('./sign-in/sign-in.tsx') },
          {
            path: 'workspaces',
            middleware: [demandSession],
            children: [
              { index: true, lazy: () => import('./workspaces/workspaces.tsx') },
              {
                path: ':anchorId',
                lazy: () => import('./workspaces/workspace.tsx'),
                children: [
                  { index: true, lazy: () => import('./workspaces/overview.tsx') },
                  { path: 'transactions', lazy: () => import('./workspaces/transactions.tsx') },
                  { path: 'customers', lazy: () => import('./workspaces/customers.tsx') },
                  { path: 'routing', lazy: () => import('./workspaces/routing.tsx') },
                  { path: 'keys', lazy: () => import('./workspaces/keys.tsx') },
                  { path: 'team', lazy: () => import('./workspaces/team.tsx') },
                  { path: 'activity', lazy: () => import('./workspaces/activity.tsx') },
                ],
              },
            ],
          },
          { path: '*', lazy: () => import('./home/not-found.tsx') },
        ],
      },
    ],
  },
])

whenExpired(() => {
  const { pathname, search } = router.state.location
  // The pages' loaders lead to the sign-in themselves; this is for a session that ends while a page stands open.
  if (!pathname.startsWith(paths.workspaces()) || router.state.navigation.state !== 'idle') return
  queries.removeQueries({ queryKey: ['operator'] })
  hint.forget()
  void router.navigate(paths.signIn(pathname + search), { state: { expired: true } })
})
