import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/**
 * Makes a folder, by default `dist`, a package for npm (`npm publish dist`): Node runs no TypeScript inside
 * node_modules, so what others install is plain JavaScript with types beside it.
 */
const here = import.meta.dirname
const dist = resolve(process.argv[2] ?? join(here, 'dist'))
rmSync(dist, { recursive: true, force: true })
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const project = join(here, 'tsconfig.package.json')
execFileSync(process.execPath, [tsc, '-p', project, '--outDir', dist], { stdio: 'inherit' })

mkdirSync(join(dist, 'explorer'), { recursive: true })
for (const name of ['page.html', 'style.css', 'elements.js', 'views.js', 'show.js'])
  cpSync(join(here, 'explorer', name), join(dist, 'explorer', name))
cpSync(join(here, 'docs'), join(dist, 'docs'), { recursive: true })
for (const name of ['README.md', 'CHANGELOG.md']) cpSync(join(here, name), join(dist, name))
for (const name of ['README.md', ...readdirSync(join(dist, 'docs')).map(each => join('docs', each))])
  dropLinks(join(dist, name))

const { name, version, description, license, dependencies } = JSON.parse(
  readFileSync(join(here, 'package.json'), 'utf8'),
)
/** What a page links to outside the package is named only: nothing is there for those who installed it. */
function dropLinks(page: string): void {
  const text = readFileSync(page, 'utf8')
  const dropped = text.replace(
    /\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)/g,
    (link, said: string, path: string) => (existsSync(join(dirname(page), path)) ? link : said),
  )
  writeFileSync(page, dropped)
}

const manifest = {
  name,
  version,
  description,
  license,
  type: 'module',
  // The first release of Node 22 that has node:sqlite without a flag.
  engines: { node: '>=22.13' },
  bin: { 'local-network': './main.js' },
  exports: {
    '.': { types: './local-network.d.ts', default: './local-network.js' },
    './hooks': { types: './hooks.d.ts', default: './hooks.js' },
  },
  // The types of its functions name Node's.
  dependencies: { ...dependencies, '@types/node': '>=22' },
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
