import type { RouteObject } from 'react-router'
import { NotFound, RouteError } from '@windlass/ui/console/fallback-pages.tsx'
import { withTexts } from '@windlass/ui/console/mount.tsx'
import { requireSession } from './session.ts'
import { shell } from './texts.ts'

const inside = withTexts(() => import('./spanish-inside.ts'))

/** The pages, each loaded when it is first opened. */
export const routes: RouteObject[] = [
  {
    path: 'login',
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    lazy: () => import('./sign-in/sign-in.tsx'),
  },
  {
    path: 'invitation',
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    lazy: inside(() => import('./administrators/accept.tsx')),
  },
  {
    path: '/',
    middleware: [requireSession],
    lazy: inside(async () => ({ Component: (await import('./shell.tsx')).Shell })),
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      {
        // Inside the shell, so that the navigation stays when a page fails.
        ErrorBoundary: RouteError,
        children: [
          { index: true, lazy: inside(() => import('./home/home.tsx')) },
          { path: 'applications', lazy: inside(() => import('./applications/queue.tsx')) },
          { path: 'jobs', lazy: inside(() => import('./jobs/jobs.tsx')) },
          { path: 'fleet', lazy: inside(() => import('./fleet/fleet.tsx')) },
          { path: 'routing/:decisionId?', lazy: inside(() => import('./routing/explainer.tsx')) },
          { path: 'policy', lazy: inside(() => import('./routing/policy.tsx')) },
          { path: 'emails', lazy: inside(() => import('./emails/emails.tsx')) },
          { path: 'account', lazy: inside(() => import('./account/account.tsx')) },
          { path: 'administrators', lazy: inside(() => import('./administrators/administrators.tsx')) },
          { path: 'audit', lazy: inside(() => import('./audit/audit.tsx')) },
          { path: '*', element: <NotFound product={shell.product} /> },
        ],
      },
    ],
  },
]
