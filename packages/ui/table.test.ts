import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { type Column, sortedBy, Table } from './table.tsx'

interface Row {
  name: string
  score: string | null
}
const columns: Column<Row>[] = [
  { head: 'Name', value: ({ name }) => name },
  { head: 'Score', named: true, numeric: true, cell: ({ score }) => score },
]
const bodyOf = (...rows: Row[]) =>
  renderToStaticMarkup(
    createElement(Table<Row>, { caption: 'Hits', columns, rows, keyOf: ({ name }) => name }),
  ).replace(/^.*<tbody/s, '')

it('names a value on phones, but not where there is none', () => {
  expect(bodyOf({ name: 'Kadir Testow', score: '0.91' })).toMatch(/Score <\/span>0\.91<\/td>/)
  const byRule = bodyOf({ name: 'Velocity rule', score: null })
  expect(byRule).not.toContain('Score')
  expect(byRule.match(/<td/g)).toHaveLength(2)
  expect(byRule.match(/<td class="[^"]*max-sm:hidden[^"]*">/g)).toHaveLength(1)
})

it('offers to sort by what has values, unless these are not all rows', () => {
  const headsOf = (isWhole: boolean) =>
    renderToStaticMarkup(
      createElement(Table<Row>, { caption: 'Hits', columns, rows: [], keyOf: ({ name }) => name, isWhole }),
    ).match(/<button[^>]*>[^<]*/g) ?? []
  expect(headsOf(true).map(head => head.replace(/.*>/, ''))).toEqual(['Name'])
  expect(headsOf(false)).toEqual([])
})

it('sorts on phones by a choice, and has no button in the hidden header row there', () => {
  const html = renderToStaticMarkup(
    createElement(Table<Row>, {
      caption: 'Hits',
      columns,
      rows: [
        { name: 'Ada', score: null },
        { name: 'Zoë', score: null },
      ],
      keyOf: ({ name }) => name,
    }),
  )
  expect(html.match(/<option[^>]*>[^<]*/g)?.map(option => option.replace(/.*>/, ''))).toEqual([
    'Order: as listed',
    'Name, ascending',
    'Name, descending',
  ])
  for (const button of html.match(/<button[^>]*>/g) ?? []) expect(button).toContain('max-sm:hidden')
})

it('sorts numbers by what they are worth, texts as people read them, and puts rows without a value last', () => {
  const order = (values: (string | null)[], direction: 'ascending' | 'descending') =>
    sortedBy(values, value => value, direction)
  expect(order(['10', null, '9.5', '-1'], 'ascending')).toEqual(['-1', '9.5', '10', null])
  expect(order(['10', null, '9.5', '-1'], 'descending')).toEqual(['10', '9.5', '-1', null])
  expect(order(['Zoë', 'ada', 'Émile'], 'ascending')).toEqual(['ada', 'Émile', 'Zoë'])
})

it('names each of several numbers of a row on phones, and one alone not', () => {
  const number = (head: string): Column<Row> => ({ head, numeric: true, cell: ({ name }) => name })
  const namesOf = (...heads: string[]) => {
    const rows = [{ name: 'one', score: null }]
    const given = { caption: 'Hits', columns: heads.map(number), rows, keyOf: ({ name }: Row) => name }
    const html = renderToStaticMarkup(createElement(Table<Row>, given))
    return [...html.matchAll(/sm:hidden">([^<]*) </g)].map(([, head]) => head)
  }
  expect(namesOf('Owed', 'There')).toEqual(['Owed', 'There'])
  expect(namesOf('Owed')).toEqual([])
})
