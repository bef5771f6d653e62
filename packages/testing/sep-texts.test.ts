import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const page = new URL('../../docs/guides/sep-texts.md', import.meta.url)
const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter(line => /^\| (?!The text|-)/.test(line))
  .map(
    line =>
      line.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '').trim()) as [text: string, held: string],
  )

it('each row of the SEPs’ texts names a test that exists, or a reason', () => {
  expect(rows.length).toBeGreaterThan(40)
  const wrong = rows.filter(([, held]) => {
    const [, title, path] =
      /^\[(.+?)\]\((.+?)\)(?: where the operator wants it \(\*Settings\*\)\. .+)?$/.exec(held) ?? []
    if (!title || !path) return !held.startsWith('not held: ')
    const source = readFileSync(new URL(path, page), 'utf8')
    return ![`it('${title}'`, `('${title}', async`].some(form => source.includes(form))
  })
  expect(wrong).toEqual([])
})
