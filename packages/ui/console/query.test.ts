import { environmentManager, QueryObserver } from '@tanstack/react-query'
import { createClient } from '@windlass/client/client.ts'
import { endpoint } from '@windlass/contracts/endpoint.ts'
import Type from 'typebox'
import { expect, test, vi } from 'vitest'
import { createQueries } from './queries.ts'
import { keyOf, withQueries } from './query.ts'

const params = Type.Object({ id: Type.String() })
const readShelf = endpoint('GET /shelves/:id', {
  realm: 'operator',
  summary: 'A shelf',
  params,
  response: { 200: Type.Object({ count: Type.Integer() }) },
})
const listBooks = endpoint('GET /shelves/:id/books', {
  realm: 'operator',
  summary: 'Its books',
  params,
  query: Type.Object({ cursor: Type.Optional(Type.String()), language: Type.Optional(Type.String()) }),
  response: { 200: Type.Array(Type.String()) },
})

/** A service of two pages of books, and a shelf that counts how often it was read. */
function library() {
  const asked: string[] = []
  const client = withQueries(
    createClient({
      baseUrl: 'http://library.invalid',
      fetch: async url => {
        const { pathname, search, searchParams } = new URL(url)
        asked.push(pathname + search)
        if (!pathname.endsWith('books')) return Response.json({ count: asked.length })
        if (searchParams.has('cursor')) return Response.json(['Emma'])
        const link = `<${pathname}?cursor=2>; rel="next"`
        return Response.json(['Dune'], { headers: { link } })
      },
    }),
  )
  return { asked, client, ...createQueries() }
}

test('a query is known by its endpoint and input, and the same input is read once', async () => {
  const { asked, client, queries } = library()
  const shelf = () => client.query(readShelf, { params: { id: 'a' } })
  expect(await queries.ensureQueryData(shelf())).toEqual({ count: 1 })
  expect(await queries.ensureQueryData(shelf())).toEqual({ count: 1 })
  expect(await queries.ensureQueryData(client.query(readShelf, { params: { id: 'b' } }))).toEqual({
    count: 2,
  })
  expect(asked).toEqual(['/shelves/a', '/shelves/b'])
})

test('a list is read page by page or whole, under keys of their own', async () => {
  const { asked, client, queries } = library()
  const input = { params: { id: 'a' }, query: { language: 'es' } }
  const { pages } = await queries.fetchInfiniteQuery(client.pages(listBooks, input))
  expect(pages).toEqual([{ rows: ['Dune'], next: '2' }])
  expect(await queries.fetchQuery(client.all(listBooks, input))).toEqual(['Dune', 'Emma'])
  const page = '/shelves/a/books?language=es'
  expect(asked).toEqual([page, page, `${page}&cursor=2`])
})

test('what changed is read again on the screen, whatever its input; other endpoints are not', async () => {
  const { asked, client, queries, refresh } = library()
  const shown = new QueryObserver(queries, client.query(readShelf, { params: { id: 'a' } }))
  const stop = shown.subscribe(() => undefined)
  await queries.fetchQuery(client.all(listBooks, { params: { id: 'a' } }))
  const before = asked.length
  await refresh(readShelf)
  stop()
  expect(asked.slice(before)).toEqual(['/shelves/a'])
  expect(queries.getQueryState(keyOf(listBooks, { params: { id: 'a' } }, 'all'))?.isInvalidated).toBe(false)
})

test('what asks again and again stops once the session has ended, and continues after the next sign-in', async () => {
  let asked = 0
  let signedIn = true
  const client = withQueries(
    createClient({
      baseUrl: 'http://library.invalid',
      fetch: async () => {
        asked++
        return Response.json({ count: asked }, { status: signedIn ? 200 : 401 })
      },
    }),
  )
  const { queries, refresh } = createQueries()
  const shelf = client.query(readShelf, { params: { id: 'a' } })
  // Timers run in browsers alone.
  environmentManager.setIsServer(() => false)
  vi.useFakeTimers()
  const screens = [
    new QueryObserver(queries, { ...shelf, refetchInterval: 1_000 }),
    new QueryObserver(queries, { ...shelf, refetchInterval: () => 2_000 }),
  ].map(screen => screen.subscribe(() => undefined))
  await vi.advanceTimersByTimeAsync(3_500)
  expect(asked).toBeGreaterThan(3)
  signedIn = false
  await vi.advanceTimersByTimeAsync(2_000)
  const before = asked
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBe(before)
  signedIn = true
  await refresh(readShelf)
  await vi.advanceTimersByTimeAsync(3_500)
  expect(asked).toBeGreaterThan(before + 3)
  for (const leave of screens) leave()
  vi.useRealTimers()
  environmentManager.setIsServer(() => true)
})
