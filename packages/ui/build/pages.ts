import react from '@vitejs/plugin-react'
import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
import { languages, type Language } from '../catalogue.ts'
import type { Prerender } from '../console/prerender.tsx'
import { compress } from './precompress.ts'

const PRERENDER = 'prerender.tsx'
const TRANSLATION = 'spanish.ts'

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

/**
 * Writes the public pages of a console as HTML, `pages/<language>/*.html`, and `pages.json` for the server, which
 * lists the languages, the file of each prerendered address and the addresses that the browser renders (`app.html`).
 */
export function prerenderPages(root: string, alias: { find: RegExp; replacement: string }[]): Plugin {
  return {
    name: 'windlass:pages',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `/${firstScriptName}` }, injectTo: 'head-prepend' },
    ],
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: firstScriptName, source: FIRST_SCRIPT })
    },
    async writeBundle({ dir = 'dist' }, bundle) {
      const template = styleFirst(await readFile(join(dir, 'index.html'), 'utf8'))
      await using built = await buildPrerender(root, alias)
      let pages: object = {}
      for (const language of Object.keys(languages) as Language[]) {
        pages = await writePages(await built.load(language), { language, root, dir, template, bundle })
      }
      await writeFile(
        join(dir, 'pages.json'),
        JSON.stringify({ languages: Object.keys(languages), ...pages }),
      )
      await rm(join(dir, 'index.html'))
    },
  }
}

interface Target {
  language: Language
  root: string
  dir: string
  template: string
  bundle: Rolldown.OutputBundle
}

/** Writes the pages in one language; returns the part of `pages.json` that is the same in each. */
async function writePages(prerender: Prerender, { language, root, dir, template, bundle }: Target) {
  prerender.setLanguage(language)
  const scriptsIn = (modules: readonly string[]) =>
    modules.flatMap(module => scriptsOf(bundle, join(root, module)))
  const translated = language === 'en' ? [] : scriptsIn([TRANSLATION])
  const frame = { language, ...prerender.frame(language) }
  const files: Record<string, string> = {}
  const write = async (name: string, page: Partial<Page>): Promise<void> => {
    const file = join(dir, 'pages', language, name)
    await mkdir(dirname(file), { recursive: true })
    const scripts = [...new Set([...translated, ...(page.scripts ?? [])])]
    await writeFile(file, fill(template, { ...frame, ...page, scripts }))
    await compress(file)
  }
  for (const { path, title, modules, translation } of prerender.pages()) {
    const name = `${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}.html`
    const scripts = scriptsIn([...modules, ...(translation && language !== 'en' ? [translation] : [])])
    await write(name, { title, scripts, body: await prerender.render(path) })
    files[path] = name
  }
  const title = prerender.notFoundTitle?.()
  await write('404.html', title ? { title, body: await prerender.render('/404') } : {})
  await write('app.html', {})
  return { files, routes: prerender.routePaths.filter(path => !(path in files)) }
}

/** Builds `prerender.tsx` for Node. Dispose it after the pages are rendered: their scripts load then. */
async function buildPrerender(root: string, alias: { find: RegExp; replacement: string }[]) {
  // Below node_modules, so that what the build leaves out is found there.
  const outDir = fileURLToPath(
    new URL(`../../../node_modules/.cache/windlass/pages-${process.pid}-${Date.now()}`, import.meta.url),
  )
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [react()],
    resolve: { alias },
    build: {
      ssr: PRERENDER,
      outDir: join(outDir, 'built'),
      emptyOutDir: true,
      rolldownOptions: { onLog: () => undefined },
    },
  })
  return {
    /** A copy of its own for each language: modules may read their texts when they load. */
    async load(language: Language): Promise<Prerender> {
      const folder = join(outDir, language)
      await cp(join(outDir, 'built'), folder, { recursive: true })
      return ((await import(pathToFileURL(join(folder, 'prerender.js')).href)) as { default: Prerender })
        .default
    },
    [Symbol.asyncDispose]: () => rm(outDir, { recursive: true, force: true }),
  }
}

/** Before the first paint a page needs its style sheet only, so that comes first and the scripts yield to it. */
function styleFirst(html: string): string {
  const styles = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? []
  return styles
    .reduce((rest, style) => rest.replace(style, ''), html)
    .replace(/<link rel="modulepreload"|<script type="module"/g, '$& fetchpriority="low"')
    .replace(/<head>\n/, head => head + styles.join(''))
}

interface Page {
  language: Language
  description: string
  needsScript: string
  title: string
  body: string
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
    .replace('<div id="root"></div>', () => `<div id="root">${body}</div>`)
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
