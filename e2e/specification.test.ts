import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const rows = readFileSync(`${root}docs/specification.md`, 'utf8')
  .split('\n')
  .map(line => /^\| ([a-z-]+-\d+) \| (.+) \| (.+) \|$/.exec(line))
  .flatMap(match => (match ? [{ row: match[1] ?? '', heldBy: match[3] ?? '' }] : []))

/** `path › name` where a test of that name stands in the file, or `issue N` for what is still to come. */
function problemWith(reference: string): string | null {
  if (/^issue \d+$/.test(reference)) return null
  const [path = '', name = ''] = reference.split(' › ').map(part => part.replaceAll('`', '').trim())
  if (!existsSync(root + path)) return `there is no ${path}`
  const source = readFileSync(root + path, 'utf8').replaceAll("\\'", "'")
  return name !== '' && source.includes(name) ? null : `${path} has no test "${name}"`
}

describe('the specification', () => {
  it('is read whole', () => {
    expect(rows.length).toBeGreaterThan(100)
    expect(new Set(rows.map(({ row }) => row)).size).toBe(rows.length)
  })

  it.each(rows)('holds row $row by a test that exists', ({ heldBy }) => {
    const references = heldBy.split('<br>').map(text => text.trim())
    expect(references.map(problemWith).filter(Boolean)).toEqual([])
  })
})
