import react from '@vitejs/plugin-react'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
import type { Prerender } from '../console/prerender.tsx'
import { compress } from './precompress.ts'

const PRERENDER = 'prerender.tsx'

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
 * Writes the public pages of a console as HTML: `pages/*.html`, and `pages.json` for the server, which lists the
 * file of each prerendered address and the addresses that the browser renders (`pages/app.html`).
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
      const { prerender } = built
      const files: Record<string, string> = {}
      const write = async (name: string, html: string): Promise<void> => {
        const file = join(dir, 'pages', name)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, html)
        await compress(file)
      }
      for (const { path, title, modules } of prerender.pages) {
        const name = `${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}.html`
        const scripts = modules.flatMap(module => scriptsOf(bundle, join(root, module)))
        await write(name, fill(template, title, await prerender.render(path), scripts))
        files[path] = name
      }
      const { notFoundTitle } = prerender
      const notFound = notFoundTitle && fill(template, notFoundTitle, await prerender.render('/404'), [])
      await write('404.html', notFound ?? template)
      await write('app.html', template)
      const routes = prerender.routePaths.filter(path => !(path in files))
      await writeFile(join(dir, 'pages.json'), JSON.stringify({ files, routes }))
      await rm(join(dir, 'index.html'))
    },
  }
}

/** Builds `prerender.tsx` for Node and loads it. Dispose it after the pages are rendered: their scripts load then. */
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
    build: { ssr: PRERENDER, outDir, emptyOutDir: true, rolldownOptions: { onLog: () => undefined } },
  })
  const module = (await import(pathToFileURL(join(outDir, 'prerender.js')).href)) as { default: Prerender }
  return {
    prerender: module.default,
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

function fill(template: string, title: string, body: string, scripts: readonly string[]): string {
  const preloads = scripts
    .map(file => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`)
    .join('')
  return template
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)}</title>${preloads}`)
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
