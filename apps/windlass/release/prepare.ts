import getReleasePlan from '@changesets/get-release-plan'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGES } from './packages.ts'

const PLATFORM = '@windlass/windlass'

/** What has a version and a changelog of its own. Everything else is part of the platform. */
const PRODUCTS: Readonly<Record<string, { changelog: string; manifests: string[] }>> = {
  [PLATFORM]: {
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
 * each changelog, the hashes of the platform's migrations. The files go. Returns `name@version` of each product.
 */
export async function prepareRelease(checkout: string, date: string): Promise<string[]> {
  const { changesets, releases } = await getReleasePlan(checkout)
  const released = releases.flatMap(({ name, oldVersion, newVersion, changesets: ids }) =>
    oldVersion && newVersion && ids.length > 0 ? [{ name, oldVersion, newVersion, ids }] : [],
  )
  const strangers = released.filter(({ name }) => !PRODUCTS[name]).map(({ name }) => name)
  if (strangers.length > 0)
    throw new Error(
      `${strangers.join(', ')}: no product. Name one of ${Object.keys(PRODUCTS).join(', ')} in .changeset.`,
    )
  for (const { name, oldVersion, newVersion, ids } of released) {
    const { changelog, manifests } = PRODUCTS[name]!
    const texts = changesets.filter(({ id }) => ids.includes(id)).map(({ summary }) => summary)
    const file = join(checkout, changelog)
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '# Changelog\n'
    writeFileSync(file, withRelease(before, `${newVersion} — ${date}`, texts))
    for (const manifest of manifests) setVersions(join(checkout, manifest), newVersion)
    for (const manifest of globSync('{apps,packages,e2e,bench,examples}{,/*}/package.json', {
      cwd: checkout,
    }))
      setVersions(join(checkout, manifest), newVersion, name)
    if (name !== PLATFORM) continue
    keepMigrations(checkout, newVersion)
    nameNewest(checkout, oldVersion, newVersion)
  }
  for (const { id } of changesets) rmSync(join(checkout, '.changeset', `${id}.md`))
  return released.map(({ name, newVersion }) => `${name}@${newVersion}`)
}

/** From now on none of these migrations may change or go: `e2e/upgrades.test.ts` compares. */
function keepMigrations(checkout: string, version: string): void {
  const files = globSync('{apps,packages}/*/migrations/*.sql', { cwd: checkout }).toSorted()
  const hashes = files.map(file => [
    file,
    createHash('sha256')
      .update(readFileSync(join(checkout, file)))
      .digest('hex'),
  ])
  const folder = join(checkout, 'e2e/released', version)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'migrations.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`)
}

/** Guides name the newest release where a reader checks it out or starts its image, and the compose file what it starts. */
function nameNewest(checkout: string, before: string, version: string): void {
  for (const file of globSync('{docs/guides/*.md,deploy/docker-compose.yml}', { cwd: checkout })) {
    const text = readFileSync(join(checkout, file), 'utf8')
    const said = text.replaceAll(`windlass:${before}`, `windlass:${version}`)
    writeFileSync(join(checkout, file), said.replaceAll(`checkout v${before} `, `checkout v${version} `))
  }
}

/** A file keeps its form: only the version changes, its own or the one that it names of `dependency`, also as a range. */
function setVersions(file: string, version: string, dependency = 'version'): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(new RegExp(`("${dependency}": "\\^?)[^"]*`), `$1${version}`))
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
