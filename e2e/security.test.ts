import { describe, expect, it } from 'vitest'
import { problemWith, rowsOf } from './held-by.ts'

const rows = rowsOf('docs/security/asvs.md', /^\d/)
const tests = rows.map(({ row, heldBy }) => ({
  row,
  references: heldBy.split('<br>').filter(text => text.includes(' › ')),
}))

describe.each([
  ...['docs/security/what-a-stolen-x-can-do.md', 'docs/security/attacks.md'],
  'docs/security/compliance-programme.md',
  'docs/screens.md',
])('%s', document => {
  const found = rowsOf(document, /^[a-z]|^\d+-/)

  it('has rows, each once', () => {
    expect(found.length).toBeGreaterThan(15)
    expect(new Set(found.map(({ row }) => row)).size).toBe(found.length)
  })

  it.each(found)('holds $row by tests that exist', ({ heldBy }) => {
    expect(heldBy.split('<br>').map(problemWith).filter(Boolean)).toEqual([])
  })
})

it('the officer’s programme has its eighteen rows', () => {
  const found = rowsOf('docs/security/compliance-programme.md', /^\d+-/)
  expect(found.map(({ row }) => Number.parseInt(row, 10))).toEqual(
    Array.from({ length: 18 }, (_, n) => n + 1),
  )
})

describe('the ASVS table', () => {
  it('has every section once', () => {
    expect(rows.length).toBeGreaterThan(60)
    expect(new Set(rows.map(({ row }) => row)).size).toBe(rows.length)
  })

  it.each(tests.filter(({ references }) => references.length > 0))(
    'holds section $row by tests that exist',
    ({ references }) => {
      expect(references.map(problemWith).filter(Boolean)).toEqual([])
    },
  )
})
