import { ProblemError } from '@windlass/client/client.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { isSignedOut } from './errors.ts'
import { keyOf } from './query.ts'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

/** A console's query cache. `onExpired` sets what happens when an answer shows that the session has ended. */
export function createQueries() {
  let expired = (): void => {}
  const onError = (error: unknown): void => {
    if (isSignedOut(error)) expired()
  }
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A refused request is refused again; only a missing answer or a server error is worth a retry.
        retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status < 500),
        retryDelay: failures => 500 * 2 ** failures,
      },
    },
  })
  stopWhenSignedOut(queries)
  return {
    queries,
    /** Reads again what a screen shows of these endpoints; what it no longer shows, when it is opened again. */
    refresh: async (...endpoints: readonly [Endpoint, ...Endpoint[]]): Promise<void> => {
      await Promise.all(endpoints.map(each => queries.invalidateQueries({ queryKey: keyOf(each) })))
    },
    onExpired: (action: () => void) => void (expired = action),
  }
}

/** Who is signed out gets 401 each time: what a screen reads again and again waits for an answer that someone asks for. */
function stopWhenSignedOut(queries: QueryClient): void {
  const complete = queries.defaultQueryOptions.bind(queries)
  queries.defaultQueryOptions = options => {
    const completed = complete(options)
    const { refetchInterval: every } = completed
    return {
      ...completed,
      refetchInterval: query =>
        !isSignedOut(query.state.error) && (typeof every === 'function' ? every(query) : every),
    }
  }
}
