import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const page = new URL('../../docs/guides/tested-with.md', import.meta.url)
const [table = ''] = readFileSync(page, 'utf8').split('\n## ')
const rows = table
  .split('\n')
  .filter(line => /^\| (?!Client|-)/.test(line))
  .map(
    line => line.slice(2, -2).split(' | ') as [client: string, version: string, flow: string, test: string],
  )

it('each row of what was tested with names a test that exists', () => {
  expect(rows.length).toBeGreaterThan(10)
  const wrong = rows.filter(([, , , test]) => {
    const [, title = '', path = ''] = /^\[(.+)\]\((.+)\)$/.exec(test) ?? []
    const source = readFileSync(new URL(path, page), 'utf8')
    return (
      !title ||
      !['(', '(\n    '].some(open =>
        [`'`, '`'].some(quote => source.includes(`${open}${quote}${title}${quote}`)),
      )
    )
  })
  expect(wrong).toEqual([])
})

it('each row has the version that is installed, or leaves it to the machine', () => {
  const { packages } = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  ) as { packages: Record<string, { version?: string }> }
  const wrong = rows.filter(
    ([client, version]) =>
      version !== 'of the machine' && packages[`node_modules/${client}`]?.version !== version,
  )
  expect(wrong).toEqual([])
})
