import type { MiddlewareFunction, RouteObject } from 'react-router'
import { NotFound, RouteError } from '@windlass/ui/console/fallback-pages.tsx'
import { Shell, WORKSPACE } from './shell.tsx'
import { shell } from './texts.ts'

/** Loaded with the first page that needs a session. */
const requireSession: MiddlewareFunction = async ({ request }) =>
  (await import('./session.ts')).requireSession({ request })

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
          {
            index: true,
            lazy: () => import('./home/home.tsx'),
          },
          {
            path: 'apply',
            lazy: () => import('./apply/frame.tsx'),
            children: [
              { index: true, lazy: () => import('./apply/step.tsx') },
              { path: 'check', lazy: () => import('./apply/check.tsx') },
              { path: ':step', lazy: () => import('./apply/step.tsx') },
            ],
          },
          { path: 'settings-of-an-anchor', lazy: () => import('./apply/carried-settings.tsx') },
          {
            path: 'submitted/:applicationId',
            lazy: () => import('./apply/submitted.tsx'),
          },
          {
            path: 'redeem',
            lazy: () => import('./redeem/redeem.tsx'),
          },
          {
            path: 'sign-in',
            lazy: () => import('./sign-in.tsx'),
          },
          {
            path: 'single-sign-on/:organizationId?',
            lazy: () => import('./single-sign-on.tsx'),
          },
          {
            lazy: () => import('./query-pages.tsx'),
            children: [
              {
                path: 'provisioning/:jobId',
                lazy: () => import('./provisioning/provisioning.tsx'),
              },
              { path: 'anchors/:anchorId?', lazy: () => import('./directory/directory.tsx') },
              {
                path: 'account',
                middleware: [requireSession],
                lazy: () => import('./account/account.tsx'),
              },
              {
                path: 'workspaces',
                middleware: [requireSession],
                children: [
                  { index: true, lazy: () => import('./workspaces/workspaces.tsx') },
                  {
                    path: ':anchorId',
                    handle: WORKSPACE,
                    lazy: () => import('./workspaces/workspace.tsx'),
                    children: [
                      { index: true, lazy: () => import('./workspaces/overview/overview.tsx') },
                      { path: 'anchor', lazy: () => import('./workspaces/anchor/anchor.tsx') },
                      {
                        path: 'transactions',
                        lazy: () => import('./workspaces/transactions/transactions.tsx'),
                      },
                      {
                        path: 'customers',
                        lazy: () => import('./workspaces/customers/customers.tsx'),
                      },
                      {
                        path: 'compliance',
                        lazy: () => import('./workspaces/compliance/compliance.tsx'),
                      },
                      {
                        path: 'settings',
                        lazy: () => import('./workspaces/settings/settings.tsx'),
                      },
                      {
                        path: 'treasury',
                        lazy: () => import('./workspaces/treasury/treasury.tsx'),
                      },
                      { path: 'bank', lazy: () => import('./workspaces/bank/bank.tsx') },
                      {
                        path: 'reconciliation',
                        lazy: () => import('./workspaces/reconciliation/reconciliation.tsx'),
                      },
                      {
                        path: 'closing',
                        lazy: () => import('./workspaces/closing/closing.tsx'),
                      },
                      { path: 'ledger', lazy: () => import('./workspaces/ledger/ledger.tsx') },
                      {
                        path: 'routing',
                        lazy: () => import('./workspaces/routing/decisions.tsx'),
                      },
                      { path: 'keys', lazy: () => import('./workspaces/keys/keys.tsx') },
                      {
                        path: 'webhooks',
                        lazy: () => import('./workspaces/webhooks/webhooks.tsx'),
                      },
                      {
                        path: 'developers',
                        lazy: () => import('./workspaces/developers/developers.tsx'),
                      },
                      { path: 'team', lazy: () => import('./workspaces/team/team.tsx') },
                      {
                        path: 'notifications',
                        lazy: () => import('./workspaces/notifications/notifications.tsx'),
                      },
                      {
                        path: 'activity',
                        lazy: () => import('./workspaces/activity/activity.tsx'),
                      },
                    ],
                  },
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
