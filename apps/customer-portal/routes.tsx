import type { RouteObject } from 'react-router'
import { NotFound, RouteError } from '@windlass/ui/console/fallback-pages.tsx'
import { requireSession } from './session.ts'
import { Shell } from './shell.tsx'
import { shell } from './texts.ts'

/** The pages, each loaded when it is first opened. */
export const routes: RouteObject[] = [
  {
    path: '/',
    Component: Shell,
    ErrorBoundary: RouteError,
    // Painted before the page's own scripts are there.
    HydrateFallback: Shell,
    children: [
      {
        // Inside the shell, so that the navigation stays when a page fails.
        ErrorBoundary: RouteError,
        children: [
          { index: true, lazy: () => import('./home.tsx') },
          { path: 'sign-in', lazy: () => import('./sign-in.tsx') },
          { path: 'remove-wallet', lazy: () => import('./account/remove-wallet.tsx') },
          {
            middleware: [requireSession],
            children: [
              { path: 'account', lazy: () => import('./account/account.tsx') },
              { path: 'transactions', lazy: () => import('./transactions/transactions.tsx') },
              { path: 'wallets', lazy: () => import('./account/wallets.tsx') },
            ],
          },
          { path: '*', element: <NotFound product={shell.product} /> },
        ],
      },
    ],
  },
]
