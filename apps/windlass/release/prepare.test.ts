import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { prepareRelease, withRelease } from './prepare.ts'

let checkout: string
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(checkout, path)), { recursive: true })
  writeFileSync(join(checkout, path), text)
}
const read = (path: string) => readFileSync(join(checkout, path), 'utf8')
const manifest = (name: string, more: object = {}) =>
  `${JSON.stringify({ name, version: '0.1.0', private: true, ...more }, null, 2)}\n`

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'windlass-prepare-'))
  write('package.json', manifest('windlass', { workspaces: ['packages/*', 'apps/*'] }))
  write('package-lock.json', '{}')
  write('apps/windlass/package.json', manifest('@windlass/windlass'))
  write('packages/local-network/package.json', manifest('@windlass/local-network'))
  const dependencies = { '@windlass/local-network': '0.1.0' }
  write('apps/signer/package.json', manifest('@windlass/signer', { dependencies }))
  write('examples/page/package.json', '{ "dependencies": { "@windlass/local-network": "^0.1.0" } }\n')
  write(
    '.changeset/config.json',
    readFileSync(new URL('../../../.changeset/config.json', import.meta.url), 'utf8'),
  )
  write('.changeset/README.md', '# One file for each change\n')
  write('CHANGELOG.md', '# Changelog\n\nWhat changes.\n\n## 0.1.0\n\n### Added\n\n- Everything.\n')
})
afterEach(() => rmSync(checkout, { recursive: true }))

it('gives versions, writes changelogs and removes the files of the changes', async () => {
  write(
    '.changeset/one.md',
    "---\n'@windlass/windlass': minor\n---\n\n### Added\n\n- A button.\n\n### Breaking\n\n- A key needs a scope.\n",
  )
  write('.changeset/two.md', "---\n'@windlass/windlass': patch\n---\n\n### Added\n\n- A second button.\n")
  write(
    '.changeset/three.md',
    "---\n'@windlass/local-network': patch\n---\n\n### Fixed\n\n- A stream ends.\n",
  )
  write('docs/guides/cluster.md', 'docker save windlass:0.1.0\n\n## From 0.1.0\n')
  write('deploy/docker-compose.yml', 'image: ${WINDLASS_IMAGE:-windlass:0.1.0}\n')
  write('apps/signer/migrations/0001-keys.sql', 'create table keys ();\n')
  const released = await prepareRelease(checkout, '2026-12-01')

  expect(released.toSorted()).toEqual(['@windlass/local-network@0.1.1', '@windlass/windlass@0.2.0'])
  expect(read('CHANGELOG.md')).toBe(
    '# Changelog\n\nWhat changes.\n\n## 0.2.0 — 2026-12-01\n\n### Breaking\n\n- A key needs a scope.\n\n' +
      '### Added\n\n- A button.\n- A second button.\n\n## 0.1.0\n\n### Added\n\n- Everything.\n',
  )
  expect(read('packages/local-network/CHANGELOG.md')).toBe(
    '# Changelog\n\n## 0.1.1 — 2026-12-01\n\n### Fixed\n\n- A stream ends.\n',
  )
  expect(read('docs/guides/cluster.md')).toBe('docker save windlass:0.2.0\n\n## From 0.1.0\n')
  expect(read('deploy/docker-compose.yml')).toBe('image: ${WINDLASS_IMAGE:-windlass:0.2.0}\n')
  expect(JSON.parse(read('e2e/released/0.2.0/migrations.json'))).toEqual({
    'apps/signer/migrations/0001-keys.sql': expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const versionOf = (path: string) => (JSON.parse(read(path)) as { version: string }).version
  expect(['package.json', 'apps/windlass/package.json'].map(versionOf)).toEqual(['0.2.0', '0.2.0'])
  expect(versionOf('packages/local-network/package.json')).toBe('0.1.1')
  expect(read('apps/signer/package.json')).toBe(
    manifest('@windlass/signer', { dependencies: { '@windlass/local-network': '0.1.1' } }),
  )
  expect(read('examples/page/package.json')).toContain('"@windlass/local-network": "^0.1.1"')
  expect(readdirSync(join(checkout, '.changeset')).toSorted()).toEqual(['README.md', 'config.json'])
})

it('changes nothing where a change names what is no product', async () => {
  write('.changeset/one.md', "---\n'@windlass/signer': patch\n---\n\nA key.\n")
  await expect(prepareRelease(checkout, '2026-12-01')).rejects.toThrow('@windlass/signer: no product')
  expect(readdirSync(join(checkout, '.changeset'))).toContain('one.md')
})

it('takes what stands under Unreleased into the release, and refuses a section of another name', () => {
  const before = '# Changelog\n\n## Unreleased\n\n### Changed\n\n- An old way.\n\n## 0.1.0\n\n- Everything.\n'
  expect(withRelease(before, '0.2.0', ['### Fixed\n\n- A fault.'])).toBe(
    '# Changelog\n\n## 0.2.0\n\n### Fixed\n\n- A fault.\n\n### Changed\n\n- An old way.\n\n## 0.1.0\n\n- Everything.\n',
  )
  expect(() => withRelease(before, '0.2.0', ['### Other\n\n- A fault.'])).toThrow(
    '"Other" is none of Breaking',
  )
})

it('finds every section of every change that waits to be one of a changelog', async () => {
  const waiting = new URL('../../../.changeset/', import.meta.url)
  for (const file of readdirSync(waiting).filter(name => /^(?!README).*\.md$/.test(name)))
    expect(() =>
      withRelease('', '', [readFileSync(new URL(file, waiting), 'utf8').split('---\n')[2] ?? '']),
    ).not.toThrow()
})
