import fc from 'fast-check'
import { expect, it } from 'vitest'
import { linkNext, pageStart, type PageQuery } from './pages.ts'
import { Problem } from './problem.ts'

interface Row {
  createdAt: Date
  id: string
}

type FormOf = (row: Row) => Parameters<typeof linkNext>[3][number]
/** As tables, the wire and neighbours give rows. */
const forms: FormOf[] = [
  row => row,
  ({ id, createdAt }) => ({ id, created_at: createdAt }),
  ({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }),
]

/** A list as a route gives it: rows after the cursor, newest first. */
function page(rows: Row[], query: PageQuery, formOf: FormOf): { shown: Row[]; next: PageQuery | null } {
  const start = pageStart(query)
  const shown = rows
    .filter(row => !start || before(row, start))
    .toSorted((a, b) => (before(b, a) ? -1 : 1))
    .slice(0, query.limit)
  let link: string | undefined
  const reply = { header: (_name: string, value: string) => (link = value) }
  const request = { url: `/things?limit=${query.limit}&status=a%20b&cursor=${query.cursor ?? ''}` }
  linkNext(request, reply, query, shown.map(formOf))
  const next = link && new URL(/^<(.*)>; rel="next"$/.exec(link)?.[1] ?? '', 'http://self')
  if (next) expect(next.searchParams.get('status')).toBe('a b')
  return { shown, next: next ? { ...query, cursor: next.searchParams.get('cursor') ?? '' } : null }
}

const before = (a: Row, b: Row) =>
  a.createdAt.getTime() === b.createdAt.getTime()
    ? a.id < b.id
    : a.createdAt.getTime() < b.createdAt.getTime()

it('pages that follow their links show every row once, newest first', () => {
  const row = fc.record({ createdAt: fc.integer({ min: 0, max: 5 }).map(ms => new Date(ms)), id: fc.uuid() })
  const rows = fc.uniqueArray(row, { selector: r => r.id, maxLength: 30 })
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 7 }), fc.constantFrom(...forms), (all, limit, formOf) => {
      const seen: Row[] = []
      for (let query: PageQuery | null = { limit }; query;) {
        const { shown, next }: ReturnType<typeof page> = page(all, query, formOf)
        seen.push(...shown)
        query = next
      }
      expect(seen).toEqual(all.toSorted((a, b) => (before(b, a) ? -1 : 1)))
    }),
  )
})

it('a cursor that no Link header gave is refused', () => {
  const encode = (text: string) => Buffer.from(text, 'latin1').toString('base64url')
  const wrong = ['x', encode('never|1'), encode('2026-01-01T00:00:00.000Z'), encode('1|2'), encode('+9|1')]
  for (const cursor of [
    ...wrong,
    encode('2026-01-01T00:00:00.000Z|a\0'),
    encode('2026-01-01T00:00:00.000Z|\xff'),
  ]) {
    expect(() => pageStart({ cursor })).toThrow(Problem)
  }
})
