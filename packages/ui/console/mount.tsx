import type { QueryClient } from '@tanstack/react-query'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { DataRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { applyTheme } from '../theme.tsx'

/** Starts a console in the page's root element. */
export function mountConsole(router: DataRouter, queries: QueryClient): void {
  applyTheme()
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
