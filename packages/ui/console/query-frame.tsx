import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import type { Frame } from './mount.tsx'
import './problem-details.ts'
import './problem-titles.ts'

/** Gives the pages inside a console's query cache. */
export const queryFrame =
  (queries: QueryClient): Frame =>
  ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>
