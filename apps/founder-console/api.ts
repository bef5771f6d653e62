import { createClient } from '@windlass/client/client.ts'
import { QueryClient } from '@tanstack/react-query'
import { ProblemError } from '@windlass/client/client.ts'

/** The platform, at this page's own origin. */
export const { call, send } = createClient({ baseUrl: '' })

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the service refused it will refuse again; only silence and its own faults are worth another try.
      retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status < 500),
      retryDelay: failures => 500 * 2 ** failures,
    },
  },
})
