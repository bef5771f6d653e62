import { describe, expect, it } from 'vitest'
import { problemWith, rowsOf } from './held-by.ts'

const rows = rowsOf('docs/specification.md', /^[a-z-]+-\d+$/)

describe('the specification', () => {
  it('is read whole', () => {
    expect(rows.length).toBeGreaterThan(100)
    expect(new Set(rows.map(({ row }) => row)).size).toBe(rows.length)
  })

  it.each(rows)('holds row $row by a test that exists', ({ heldBy }) => {
    const references = heldBy.split('<br>').map(text => text.trim())
    expect(
      references
        .filter(text => !/^issue \d+$/.test(text))
        .map(problemWith)
        .filter(Boolean),
    ).toEqual([])
  })
})
