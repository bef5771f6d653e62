import getReleasePlan from '@changesets/get-release-plan'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGES } from './packages.ts'

/** What has a version and a changelog of its own. Everything else is part of the platform. */
const PRODUCTS: Readonly<Record<string, { changelog: string; manifests: string[] }>> = {
  '@windlass/windlass': {
    changelog: 'CHANGELOG.md',
    manifests: ['package.json', 'apps/windlass/package.json'],
  },
  ...Object.fromEntries(
    PACKAGES.map(({ folder: name }) => [
      `@windlass/${name}`,
      { changelog: `packages/${name}/CHANGELOG.md`, manifests: [`packages/${name}/package.json`] },
    ]),
  ),
}

/** In the order in which a reader needs them. */
const SECTIONS = [
  'Breaking',
  'What an operator must check',
  'Fixed where money or identity was at risk',
  'Added',
  'Fixed',
  'Changed',
]

/**
 * Makes a release of what the files of `.changeset` say: versions in manifests and in what depends on them, a section in
 * each changelog. The files go. Returns `name@version` of each product.
 */
export async function prepareRelease(checkout: string, date: string): Promise<string[]> {
  const { changesets, releases } = await getReleasePlan(checkout)
  const released = releases.flatMap(({ name, newVersion, changesets: ids }) =>
    newVersion && ids.length > 0 ? [{ name, newVersion, ids }] : [],
  )
  const strangers = released.filter(({ name }) => !PRODUCTS[name]).map(({ name }) => name)
  if (strangers.length > 0)
    throw new Error(
      `${strangers.join(', ')}: no product. Name one of ${Object.keys(PRODUCTS).join(', ')} in .changeset.`,
    )
  for (const { name, newVersion, ids } of released) {
    const { changelog, manifests } = PRODUCTS[name]!
    const texts = changesets.filter(({ id }) => ids.includes(id)).map(({ summary }) => summary)
    const file = join(checkout, changelog)
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '# Changelog\n'
    writeFileSync(file, withRelease(before, `${newVersion} — ${date}`, texts))
    for (const manifest of manifests) setVersions(join(checkout, manifest), newVersion)
    for (const manifest of globSync('{apps,packages,e2e,bench}{,/*}/package.json', { cwd: checkout }))
      setVersions(join(checkout, manifest), newVersion, name)
  }
  for (const { id } of changesets) rmSync(join(checkout, '.changeset', `${id}.md`))
  return released.map(({ name, newVersion }) => `${name}@${newVersion}`)
}

/** A file keeps its form: only the version changes, its own or the one that it names of `dependency`. */
function setVersions(file: string, version: string, dependency = 'version'): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(new RegExp(`("${dependency}": )"[^"]*"`), `$1"${version}"`))
}

/** A changelog with a further release: the lines of `texts`, and those that stood under *Unreleased*. */
export function withRelease(changelog: string, title: string, texts: readonly string[]): string {
  const [head, ...releases] = changelog.split(/^(?=## )/m)
  const isUnreleased = (release: string) => /^## Unreleased\n/.test(release)
  const lines = new Map(SECTIONS.map(section => [section, [] as string[]]))
  for (const text of [...releases.filter(isUnreleased), ...texts]) {
    let section = 'Changed'
    for (const line of text.split('\n')) {
      if (/^## /.test(line) || line.trim() === '') continue
      const [, named] = /^### (.+)$/.exec(line) ?? []
      if (named && !lines.has(named)) throw new Error(`"${named}" is none of ${SECTIONS.join(', ')}.`)
      if (named) section = named
      else lines.get(section)!.push(/^(- | {2})/.test(line) ? line : `- ${line}`)
    }
  }
  const sections = [...lines].filter(([, { length }]) => length > 0)
  const release = sections.map(([name, all]) => `\n### ${name}\n\n${all.join('\n')}\n`).join('')
  const older = releases.filter(each => !isUnreleased(each))
  return (
    [head!.trimEnd(), `## ${title}\n${release}`.trimEnd(), ...older.map(each => each.trimEnd())].join(
      '\n\n',
    ) + '\n'
  )
}
