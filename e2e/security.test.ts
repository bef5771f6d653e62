import { describe, expect, it } from 'vitest'
import { problemWith, rowsOf } from './held-by.ts'

const rows = rowsOf('docs/security/asvs.md', /^\d/)
const tests = rows.map(({ row, heldBy }) => ({
  row,
  references: heldBy.split('<br>').filter(text => text.includes(' › ')),
}))

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
