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
    HydrateFallback: () => null,
    children: [
      {
        // Inside the shell, so that the navigation stays when a page fails.
        ErrorBoundary: RouteError,
        children: [
          { index: true, lazy: () => import('./home/home.tsx') },
          {
            path: 'apply',
            lazy: () => import('./apply/frame.tsx'),
            children: [
              { index: true, lazy: () => import('./apply/step.tsx') },
              { path: 'check', lazy: () => import('./apply/check.tsx') },
              { path: ':step', lazy: () => import('./apply/step.tsx') },
            ],
          },
          { path: 'submitted/:applicationId', lazy: () => import('./apply/submitted.tsx') },
          { path: 'redeem', lazy: () => import('./redeem/redeem.tsx') },
          { path: 'provisioning/:jobId', lazy: () => import('./provisioning/provisioning.tsx') },
          { path: 'anchors/:anchorId?', lazy: () => import('./directory/directory.tsx') },
          { path: 'sign-in', lazy: () => import('./sign-in.tsx') },
          { path: 'account', middleware: [requireSession], lazy: () => import('./account/account.tsx') },
          {
            path: 'workspaces',
            middleware: [requireSession],
            children: [
              { index: true, lazy: () => import('./workspaces/workspaces.tsx') },
              {
                path: ':anchorId',
                lazy: () => import('./workspaces/workspace.tsx'),
                children: [
                  { index: true, lazy: () => import('./workspaces/overview.tsx') },
                  { path: 'anchor', lazy: () => import('./workspaces/anchor.tsx') },
                  { path: 'transactions', lazy: () => import('./workspaces/transactions.tsx') },
                  { path: 'customers', lazy: () => import('./workspaces/customers.tsx') },
                  { path: 'treasury', lazy: () => import('./workspaces/treasury.tsx') },
                  { path: 'bank', lazy: () => import('./workspaces/bank.tsx') },
                  { path: 'ledger', lazy: () => import('./workspaces/ledger.tsx') },
                  { path: 'routing', lazy: () => import('./workspaces/routing.tsx') },
                  { path: 'keys', lazy: () => import('./workspaces/keys.tsx') },
                  { path: 'webhooks', lazy: () => import('./workspaces/webhooks.tsx') },
                  { path: 'developers', lazy: () => import('./workspaces/developers.tsx') },
                  { path: 'team', lazy: () => import('./workspaces/team.tsx') },
                  { path: 'notifications', lazy: () => import('./workspaces/notifications.tsx') },
                  { path: 'activity', lazy: () => import('./workspaces/activity.tsx') },
                ],
              },
            ],
          },
          { path: '*', element: <NotFound product={shell.product} /> },
        ],
      },
    ],
  },
]
