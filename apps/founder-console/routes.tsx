import { createBrowserRouter } from 'react-router'
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
          { path: '*', lazy: () => import('./home/not-found.tsx') },
        ],
      },
    ],
  },
])
