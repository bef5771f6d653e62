import type { RouteObject } from 'react-router'
import { NotFound, RouteError } from '@windlass/ui/console/fallback-pages.tsx'
import { requireSession } from './session.ts'
import { shell } from './texts.ts'

/** The pages, each loaded when it is first opened. */
export const routes: RouteObject[] = [
  {
    path: 'login',
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    lazy: () => import('./sign-in/sign-in.tsx'),
  },
  {
    path: 'single-sign-on',
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    lazy: () => import('./sign-in/single-sign-on.tsx'),
  },
  {
    path: 'invitation',
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    lazy: () => import('./administrators/accept.tsx'),
  },
  {
    path: '/',
    middleware: [requireSession],
    lazy: async () => ({ Component: (await import('./shell.tsx')).Shell }),
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      {
        // Inside the shell, so that the navigation stays when a page fails.
        ErrorBoundary: RouteError,
        children: [
          { index: true, lazy: () => import('./home/home.tsx') },
          { path: 'applications', lazy: () => import('./applications/queue.tsx') },
          { path: 'jobs', lazy: () => import('./jobs/jobs.tsx') },
          { path: 'fleet', lazy: () => import('./fleet/fleet.tsx') },
          { path: 'routing/:decisionId?', lazy: () => import('./routing/explainer.tsx') },
          { path: 'policy', lazy: () => import('./routing/policy.tsx') },
          { path: 'emails', lazy: () => import('./emails/emails.tsx') },
          { path: 'messages', lazy: () => import('./messages/messages.tsx') },
          { path: 'account', lazy: () => import('./account/account.tsx') },
          { path: 'administrators', lazy: () => import('./administrators/administrators.tsx') },
          { path: 'audit', lazy: () => import('./audit/audit.tsx') },
          { path: '*', element: <NotFound product={shell.product} /> },
        ],
      },
    ],
  },
]
