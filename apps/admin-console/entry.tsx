import '@windlass/ui/styles/theme.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { applyTheme } from '@windlass/ui/theme.tsx'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { queries } from './api.ts'
import { router } from './routes.tsx'

applyTheme()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
