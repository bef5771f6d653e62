import type {
  DataTag,
  InfiniteData,
  QueryKey,
  UnusedSkipTokenInfiniteOptions,
  UnusedSkipTokenOptions,
} from '@tanstack/react-query'
import type { CallInput, Client, Reply } from '@windlass/client/client.ts'
import { everyPage, nextCursor } from '@windlass/client/next-page.ts'
import type { AnswerOf, Endpoint, EndpointShape } from '@windlass/contracts/endpoint.ts'

const LIST_REFRESH_MS = 10_000

type Input<S extends EndpointShape> = Omit<CallInput<S>, 'signal' | 'headers'>
type Options<T> = Omit<UnusedSkipTokenOptions<T>, 'queryKey' | 'queryFn' | 'select'>
type Given<S extends EndpointShape, Further extends unknown[]> =
  {} extends Input<S> ? [input?: Input<S>, ...Further] : [input: Input<S>, ...Further]

type Query<T> = UnusedSkipTokenOptions<T> & { queryKey: DataTag<QueryKey, T, Error> }
type RowOf<S extends EndpointShape> = AnswerOf<S> extends readonly (infer Row)[] ? Row : never
interface Page<Row> {
  rows: Row[]
  next: string | undefined
}
type Pages<Row> = InfiniteData<Page<Row>, string | undefined>
type List<Row> = UnusedSkipTokenInfiniteOptions<Page<Row>, Error, Pages<Row>, QueryKey, string | undefined>

/** How screens read endpoints: options for TanStack Query, whose key is the endpoint with its input. */
interface Queries {
  /** The answer. */
  query<S extends EndpointShape>(
    endpoint: Endpoint<S>,
    ...given: Given<S, [options?: Options<AnswerOf<S>>]>
  ): Query<AnswerOf<S>>
  /** Every row of a list that people keep short, page after page. */
  all<S extends EndpointShape>(
    endpoint: Endpoint<S>,
    ...given: Given<S, [options?: Options<RowOf<S>[]>]>
  ): Query<RowOf<S>[]>
  /** A list read page by page, newest first, and refreshed. */
  pages<S extends EndpointShape>(
    endpoint: Endpoint<S>,
    ...given: Given<S, []>
  ): List<RowOf<S>> & { queryKey: DataTag<QueryKey, Pages<RowOf<S>>, Error> }
}

interface LooseInput {
  params?: unknown
  query?: object
}

/** A client whose endpoints screens can read. */
export function withQueries(client: Client): Client & Queries {
  const send = client.send as (endpoint: Endpoint, input: unknown) => ReturnType<Client['send']>
  const page = async (
    endpoint: Endpoint,
    input: LooseInput,
    cursor: string | undefined,
    signal: AbortSignal,
  ) => send(endpoint, { ...input, query: { ...input.query, cursor }, signal })
  const queries = {
    query: (endpoint: Endpoint, input: LooseInput = {}, options: object = {}) => ({
      ...options,
      queryKey: keyOf(endpoint, input),
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await send(endpoint, { ...input, signal })).body,
    }),
    all: (endpoint: Endpoint, input: LooseInput = {}, options: object = {}) => ({
      ...options,
      queryKey: keyOf(endpoint, input, 'all'),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        everyPage(({ cursor }) => page(endpoint, input, cursor, signal) as Promise<Reply<unknown[]>>),
    }),
    pages: (endpoint: Endpoint, input: LooseInput = {}) => ({
      queryKey: keyOf(endpoint, input, 'pages'),
      queryFn: async ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
        const { body, headers } = await page(endpoint, input, pageParam, signal)
        return { rows: body, next: nextCursor(headers) }
      },
      initialPageParam: undefined,
      getNextPageParam: ({ next }: Page<unknown>) => next,
      refetchInterval: LIST_REFRESH_MS,
    }),
  }
  return { ...client, ...(queries as unknown as Queries) }
}

/** The key of what a screen has read of an endpoint: with an input that one, without it whatever the input was. */
export const keyOf = (endpoint: Endpoint, ...input: unknown[]): QueryKey => [
  endpoint.realm,
  `${endpoint.method} ${endpoint.path}`,
  ...input,
]
