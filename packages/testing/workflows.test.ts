import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
const FOLDER = '.github/workflows'

/** The lines that a workflow runs. */
const runsIn = (file: string): string[] =>
  [...read(`${FOLDER}/${file}`).matchAll(/^ *(?:- )?run: (?:'(.*)'|(.*))$/gm)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )

describe.each(['ci.yml', 'release.yml'])('the workflow %s, which every fork runs', file => {
  it('names scripts, tests and files that exist', () => {
    const lines = runsIn(file)
    expect(lines.length).toBeGreaterThan(4)
    const named = lines.flatMap(line => [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name))
    expect(named.filter(name => !scripts[name])).toEqual([])
    const tests = lines.flatMap(line => /npm test -- (.+)$/.exec(line)?.[1]?.split(' ') ?? [])
    expect(tests.length).toBeGreaterThan(0)
    expect(tests.filter(path => globSync(`${path}*`, { cwd: CHECKOUT }).length === 0)).toEqual([])
    const programs = lines.flatMap(line => /^(\.\S+)/.exec(line)?.[1] ?? [])
    expect(programs.filter(path => !existsSync(join(CHECKOUT, path)))).toEqual([])
  })

  it('installs without scripts of packages, and asks for advisories', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m)
    expect(runsIn(file).join('\n')).toMatch(/npm audit --omit=dev --audit-level=moderate/)
  })
})

it('a release is published with its origin, and has its bill of materials attached', () => {
  const release = read(`${FOLDER}/release.yml`)
  expect(release).toMatch(/permissions: \{.*id-token: write.*\}/)
  const lines = runsIn('release.yml').join('\n')
  expect(lines).toMatch(/npm publish .* --provenance --access public/)
  expect(lines).toMatch(/gh release create .* dist\/release\/\*/)
  expect(read('apps/windlass/release/main.ts')).toContain('.cdx.json')
})
