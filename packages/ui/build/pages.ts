import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin, type Rolldown, type UserConfig } from 'vite'
import type { Prerender } from '../console/prerender.tsx'
import type { BuildLanguage } from './one-language.ts'
import { compress } from './precompress.ts'

const PRERENDER = 'prerender.tsx'
const QUIET = { configFile: false, logLevel: 'error' } as const

/**
 * Runs before the first paint: the stored colour scheme, and whether the address holds an invitation token (the page
 * of an invitation hides its form then). A file, because the content security policy forbids inline scripts.
 */
const FIRST_SCRIPT = `(() => {
  const page = document.documentElement.dataset
  try {
    const theme = localStorage.getItem('windlass.theme')
    if (theme === 'light' || theme === 'dark') page.theme = theme
  } catch {}
  if (/[#&?]token=./.test(location.hash + location.search)) page.token = ''
})()
`
const firstScriptName = `assets/first-${createHash('sha256').update(FIRST_SCRIPT).digest('hex').slice(0, 8)}.js`

/** Puts the first script at the top of every page. */
export const firstScript = (): Plugin => ({
  name: 'windlass:first-script',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'script', attrs: { src: `/${firstScriptName}` }, injectTo: 'head-prepend' },
  ],
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: firstScriptName, source: FIRST_SCRIPT })
  },
})

/**
 * Writes the public pages of a console as HTML, `pages/<language>/*.html`, and `pages.json` for the server, which
 * lists the languages, the file of each prerendered address and the addresses that the browser renders (`app.html`).
 */
export function prerenderPages(
  languages: readonly BuildLanguage[],
  builds: Record<'scripts' | 'pages', (language: BuildLanguage) => UserConfig & { root: string }>,
): Plugin {
  return {
    name: 'windlass:pages',
    apply: 'build',
    async writeBundle({ dir = 'dist' }, bundle) {
      let pages: object = {}
      for (const [index, language] of languages.entries()) {
        const scripts = index === 0 ? bundle : await buildScripts(builds.scripts(language), dir)
        const template = styleFirst(await readFile(join(dir, 'index.html'), 'utf8'))
        const sources = builds.pages(language)
        await using prerender = await buildPrerender(sources)
        const target = { language, root: sources.root, dir, template, bundle: scripts }
        pages = await writePages(prerender.value, target)
      }
      await writeFile(join(dir, 'pages.json'), JSON.stringify({ languages, ...pages }))
      await rm(join(dir, 'index.html'))
    },
  }
}

/** Builds the scripts of a further language beside those of the first. */
async function buildScripts(config: UserConfig, outDir: string): Promise<Rolldown.OutputBundle> {
  const options = { ...config.build, outDir, emptyOutDir: false, copyPublicDir: false }
  const { output } = (await build({ ...config, ...QUIET, build: options })) as Rolldown.RolldownOutput
  return Object.fromEntries(output.map(file => [file.fileName, file]))
}

interface Target {
  language: BuildLanguage
  root: string
  dir: string
  template: string
  bundle: Rolldown.OutputBundle
}

/** Writes the pages in one language; returns the part of `pages.json` that is the same in each. */
async function writePages(prerender: Prerender, { language, root, dir, template, bundle }: Target) {
  const scriptsIn = (modules: readonly string[]) => [
    ...new Set(modules.flatMap(module => scriptsOf(bundle, join(root, module)))),
  ]
  const frame = { language, ...prerender.frame }
  const files: Record<string, string> = {}
  const write = async (name: string, page: Partial<Page>): Promise<void> => {
    const file = join(dir, 'pages', language, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, fill(template, { ...frame, scripts: [], ...page }))
    await compress(file)
  }
  for (const { path, title, modules } of prerender.pages) {
    const name = `${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}.html`
    await write(name, { title, scripts: scriptsIn(modules), body: await prerender.render(path) })
    files[path] = name
  }
  const title = prerender.notFoundTitle
  await write('404.html', title ? { title, body: await prerender.render('/404') } : {})
  for (const path of prerender.outside) {
    await write('bare.html', {})
    files[path] = 'bare.html'
  }
  await write('app.html', { body: await prerender.renderShell(), isShell: true })
  return { files, routes: prerender.routePaths.filter(path => !(path in files)) }
}

/** Builds `prerender.tsx` for Node. Dispose it after the pages are rendered: their scripts load then. */
async function buildPrerender(config: UserConfig) {
  // Below node_modules, so that what the build leaves out is found there.
  const outDir = fileURLToPath(
    new URL(`../../../node_modules/.cache/windlass/pages-${process.pid}-${Date.now()}`, import.meta.url),
  )
  const rolldownOptions = { onLog: () => undefined }
  await build({ ...config, ...QUIET, build: { ssr: PRERENDER, outDir, emptyOutDir: true, rolldownOptions } })
  const { default: value } = (await import(pathToFileURL(join(outDir, 'prerender.js')).href)) as {
    default: Prerender
  }
  return { value, [Symbol.asyncDispose]: () => rm(outDir, { recursive: true, force: true }) }
}

/** Before the first paint a page needs its style sheet only, so that comes first and the scripts yield to it. */
function styleFirst(html: string): string {
  // oxlint-disable-next-line compared-sentences/by-codes -- it is HTML.
  const styles = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? []
  return styles
    .reduce((rest, style) => rest.replace(style, ''), html)
    .replace(/<link rel="modulepreload"|<script type="module"/g, '$& fetchpriority="low"')
    .replace(/<head>\n/, head => head + styles.join(''))
}

interface Page {
  language: string
  description: string
  needsScript: string
  title: string
  body: string
  /** The body is what is around a page: the browser renders it from the start. */
  isShell?: boolean
  scripts: readonly string[]
}

/** Without a title and a body the page keeps those of the template: the browser renders it. */
function fill(template: string, page: Omit<Page, 'title' | 'body'> & Partial<Page>): string {
  const preloads = page.scripts
    .map(file => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`)
    .join('')
  const { title = /<title>([^<]*)<\/title>/.exec(template)?.[1] ?? '', body = '' } = page
  return template
    .replace('<html lang="en">', `<html lang="${page.language}">`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)}</title>${preloads}`)
    .replace(
      /<meta\s+name="description"[^>]*>/,
      () => `<meta name="description" content="${escapeHtml(page.description)}">`,
    )
    .replace(/<noscript>[^<]*</, () => `<noscript>${escapeHtml(page.needsScript)}<`)
    .replace(
      '<div id="root"></div>',
      () => `<div id="root"${page.isShell ? ' data-shell' : ''}>${body}</div>`,
    )
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

/** The files of a module and of what it imports, without those that the entry has loaded. */
function scriptsOf(bundle: Rolldown.OutputBundle, module: string): string[] {
  const chunks = Object.values(bundle).filter(output => output.type === 'chunk')
  const withImports = (file: string, found = new Set<string>()): Set<string> => {
    if (found.has(file)) return found
    found.add(file)
    const chunk = chunks.find(({ fileName }) => fileName === file)
    for (const imported of chunk?.imports ?? []) withImports(imported, found)
    return found
  }
  const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === module)
  if (!chunk) throw new Error(`The build has no script for ${module}.`)
  const entry = chunks.find(({ isEntry }) => isEntry)
  const loaded = entry ? withImports(entry.fileName) : new Set()
  return [...withImports(chunk.fileName)].filter(file => !loaded.has(file))
}
