import type { MiddlewareFunction, RouteObject } from 'react-router'
import { NotFound, RouteError } from '@windlass/ui/console/fallback-pages.tsx'
import { withTexts } from '@windlass/ui/console/mount.tsx'
import { Shell } from './shell.tsx'
import { shell } from './texts.ts'

const inApply = withTexts(() => import('./apply/texts-es.ts'))
const inCheck = withTexts(() => import('./apply/check-texts-es.ts'))
const inDirectory = withTexts(() => import('./directory/texts-es.ts'))
const inWorkspace = withTexts(() => import('./workspaces/spanish.ts'))

/** Loaded with the first page that needs a session. */
const requireSession: MiddlewareFunction = async ({ request }) =>
  (await import('./session.ts')).requireSession({ request })

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
          {
            index: true,
            lazy: withTexts(() => import('./home/texts-es.ts'))(() => import('./home/home.tsx')),
          },
          {
            path: 'apply',
            lazy: inApply(() => import('./apply/frame.tsx')),
            children: [
              { index: true, lazy: inApply(() => import('./apply/step.tsx')) },
              { path: 'check', lazy: inCheck(() => import('./apply/check.tsx')) },
              { path: ':step', lazy: inApply(() => import('./apply/step.tsx')) },
            ],
          },
          {
            path: 'submitted/:applicationId',
            lazy: withTexts(() => import('./apply/submitted-texts-es.ts'))(
              () => import('./apply/submitted.tsx'),
            ),
          },
          {
            path: 'redeem',
            lazy: withTexts(() => import('./redeem/texts-es.ts'))(() => import('./redeem/redeem.tsx')),
          },
          {
            path: 'sign-in',
            lazy: withTexts(() => import('./sign-in-texts-es.ts'))(() => import('./sign-in.tsx')),
          },
          {
            lazy: () => import('./query-pages.tsx'),
            children: [
              {
                path: 'provisioning/:jobId',
                lazy: withTexts(() => import('./provisioning/texts-es.ts'))(
                  () => import('./provisioning/provisioning.tsx'),
                ),
              },
              { path: 'anchors/:anchorId?', lazy: inDirectory(() => import('./directory/directory.tsx')) },
              {
                path: 'account',
                middleware: [requireSession],
                lazy: withTexts(() => import('./account/spanish.ts'))(() => import('./account/account.tsx')),
              },
              {
                path: 'workspaces',
                middleware: [requireSession],
                children: [
                  { index: true, lazy: inWorkspace(() => import('./workspaces/workspaces.tsx')) },
                  {
                    path: ':anchorId',
                    lazy: inWorkspace(() => import('./workspaces/workspace.tsx')),
                    children: [
                      { index: true, lazy: inWorkspace(() => import('./workspaces/overview/overview.tsx')) },
                      { path: 'anchor', lazy: inWorkspace(() => import('./workspaces/anchor/anchor.tsx')) },
                      {
                        path: 'transactions',
                        lazy: inWorkspace(() => import('./workspaces/transactions/transactions.tsx')),
                      },
                      {
                        path: 'customers',
                        lazy: inWorkspace(() => import('./workspaces/customers/customers.tsx')),
                      },
                      {
                        path: 'compliance',
                        lazy: inWorkspace(() => import('./workspaces/compliance/compliance.tsx')),
                      },
                      {
                        path: 'settings',
                        lazy: inWorkspace(() => import('./workspaces/settings/settings.tsx')),
                      },
                      {
                        path: 'treasury',
                        lazy: inWorkspace(() => import('./workspaces/treasury/treasury.tsx')),
                      },
                      { path: 'bank', lazy: inWorkspace(() => import('./workspaces/bank/bank.tsx')) },
                      {
                        path: 'reconciliation',
                        lazy: inWorkspace(() => import('./workspaces/reconciliation/reconciliation.tsx')),
                      },
                      { path: 'ledger', lazy: inWorkspace(() => import('./workspaces/ledger/ledger.tsx')) },
                      {
                        path: 'routing',
                        lazy: inWorkspace(() => import('./workspaces/routing/decisions.tsx')),
                      },
                      { path: 'keys', lazy: inWorkspace(() => import('./workspaces/keys/keys.tsx')) },
                      {
                        path: 'webhooks',
                        lazy: inWorkspace(() => import('./workspaces/webhooks/webhooks.tsx')),
                      },
                      {
                        path: 'developers',
                        lazy: inWorkspace(() => import('./workspaces/developers/developers.tsx')),
                      },
                      { path: 'team', lazy: inWorkspace(() => import('./workspaces/team/team.tsx')) },
                      {
                        path: 'notifications',
                        lazy: inWorkspace(() => import('./workspaces/notifications/notifications.tsx')),
                      },
                      {
                        path: 'activity',
                        lazy: inWorkspace(() => import('./workspaces/activity/activity.tsx')),
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
