import { createClient, ProblemError } from '@windlass/client/client.ts'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

/** The platform, at this page's own origin. */
export const { call, send } = createClient({ baseUrl: '' })

export const isSignedOut = (error: unknown): boolean => error instanceof ProblemError && error.status === 401

let onExpired = (): void => {}

/** What to do when the session turns out to be over; the router knows. */
export const whenExpired = (act: () => void): void => {
  onExpired = act
}

const onError = (error: unknown): void => {
  if (isSignedOut(error)) onExpired()
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the service refused it will refuse again; only silence and its own faults are worth another try.
      retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status < 500),
      retryDelay: failures => 500 * 2 ** failures,
    },
  },
})
