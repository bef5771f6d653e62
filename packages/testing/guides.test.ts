import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8')

/** Paths from the root, between backticks: files with an extension, and folders with a slash at the end. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:apps|packages|docs|e2e|bench|deploy|\.changeset)\/[\w./*-]*(?:\.\w+|\/))`/g)].map(
    ([, path = '']) => path,
  )

const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)

it.each([
  ['ARCHITECTURE.md', 40],
  ['AGENTS.md', 5],
  ['CONTRIBUTING.md', 15],
])('%s names files that exist', (guide, atLeast) => {
  const paths = pathsIn(read(guide))
  expect(paths.length).toBeGreaterThan(atLeast)
  expect(paths.filter(path => globSync(path, { cwd: CHECKOUT }).length === 0)).toEqual([])
  expect(linksIn(read(guide)).filter(target => !existsSync(join(CHECKOUT, dirname(guide), target)))).toEqual(
    [],
  )
})

it('ARCHITECTURE.md has the layers of the business server', () => {
  const layers = [...read('ARCHITECTURE.md').matchAll(/^\| `([a-z-]+)\/` \|/gm)].map(([, layer]) => layer)
  expect(layers.length).toBe(9)
  expect(layers.filter(layer => !existsSync(join(CHECKOUT, 'apps/business-server', layer!)))).toEqual([])
})

it('the index of decisions names each one, once and by its title', () => {
  const listed = [...read('docs/adr/README.md').matchAll(/^- \[(.+?)\]\((\d{4}-[\w-]+\.md)\)/gm)]
  const files = globSync('docs/adr/[0-9]*.md', { cwd: CHECKOUT }).map(file => basename(file))
  expect(files.length).toBeGreaterThan(60)
  expect(listed.map(([, , file]) => file!).toSorted()).toEqual(files.toSorted())
  for (const [, title, file] of listed)
    expect([file, read(`docs/adr/${file}`).split('\n')[0]]).toEqual([file, `# ${title}`])
})
