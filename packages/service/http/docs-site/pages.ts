import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import packageFile from '../../../../package.json' with { type: 'json' }
import { escapeHtml } from '../html.ts'
import { readBaseStyle } from '../local-page.ts'
import { markdownBody, slugOf, titleOf } from '../markdown.ts'
import { listReferenceGroups, referencePage } from '../reference.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, DOCS), 'utf8')

/** A file of the site: its path below the root, and what it is made of when it is asked for. */
export interface SiteFile {
  path: string
  type: string
  make(): Promise<string> | string
}

interface Page {
  /** `guides/founders.html` */
  path: string
  title: string
  /** A file of `docs/`; absent: a page of the reference. */
  source?: string
  body(): string
}

interface Group {
  name: string
  pages: readonly Page[]
}

const FOLDERS = [
  ['Guides', 'guides'],
  ['Runbooks', 'runbooks'],
  ['Problems', 'problems'],
  ['Security', 'security'],
  ['Decisions', 'adr'],
] as const

/** Texts beside the folders that people outside read; lists of what holds what are for those who change Windlass. */
const OTHERS = ['specification.md', 'scale.md'] as const

const DOCUMENTS = ['wallet', 'aggregator', 'developer', 'platform', 'internal'] as const

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

/**
 * The documentation as a site: each text of `docs/` as a page and as Markdown, the reference of each OpenAPI document,
 * search, and `llms.txt`. All links are relative, so it works below any path and as files.
 */
export function listSite(): SiteFile[] {
  const groups = listGroups()
  const pages = groups.flatMap(each => each.pages)
  const published = new Set(pages.map(({ path }) => path))
  const texts = pages.flatMap(({ source }) => (source === undefined ? [] : [source]))
  return [
    { path: 'index.html', type: HTML, make: () => frame(groups, indexPage(groups)) },
    ...pages.map(page => ({
      path: page.path,
      type: HTML,
      make: () => frame(groups, page, page.source === undefined ? undefined : published),
    })),
    ...texts.map(source => ({ path: source, type: MARKDOWN, make: () => read(source) })),
    ...DOCUMENTS.map(name => ({
      path: `api/${name}.json`,
      type: 'application/json; charset=utf-8',
      make: () => read(`api/${name}.json`),
    })),
    { path: 'llms.txt', type: 'text/plain; charset=utf-8', make: () => llmsText(groups) },
    { path: 'search.json', type: 'application/json; charset=utf-8', make: () => searchIndex(pages) },
    { path: 'site.js', type: 'text/javascript; charset=utf-8', make: () => own('site.js') },
    {
      path: 'site.css',
      type: 'text/css; charset=utf-8',
      make: async () => `${await readBaseStyle()}${own('../reference.css')}${own('site.css')}`,
    },
  ]
}

const own = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

function listGroups(): Group[] {
  const texts = FOLDERS.map(([name, folder]) => ({ name, pages: textsIn(folder) }))
  const others = { name: 'More', pages: OTHERS.map(textPage) }
  const reference = { name: 'API reference', pages: DOCUMENTS.flatMap(referencePages) }
  return [...texts.slice(0, 1), reference, ...texts.slice(1), others]
}

const textsIn = (folder: string): Page[] =>
  readdirSync(new URL(`${folder}/`, DOCS))
    .filter(name => name.endsWith('.md'))
    .toSorted()
    .map(name => textPage(`${folder}/${name}`))

const textPage = (source: string): Page => ({
  path: htmlOf(source),
  title: titleOf(read(source)),
  source,
  body: () => read(source),
})

const htmlOf = (source: string): string =>
  source.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')

/** Only titles are kept: a document is large. */
function referencePages(name: string): Page[] {
  const document = () => JSON.parse(read(`api/${name}.json`)) as { info: { title: string } }
  const whole = document()
  const groups = [{ slug: '', name: whole.info.title }, ...listReferenceGroups(whole)]
  return groups.map(({ slug, name: title }) => ({
    path: `api/${name}/${slug || 'index'}.html`,
    title,
    body: () => referenceBody(referencePage(document(), slug, '') ?? '', name),
  }))
}

/** The reference's own page has addresses of a service. */
const referenceBody = (html: string, name: string): string =>
  (/<main[^>]*>([\s\S]*)<\/main>/.exec(html)?.[1] ?? '')
    .replaceAll(/href="docs\/([\w-]+)/g, 'href="$1.html')
    .replaceAll('href="../docs"', 'href="index.html"')
    .replaceAll('href="openapi.json"', `href="../${name}.json"`)

const shown = ({ pages }: Group): readonly Page[] =>
  // Each document of the reference is listed once, and lists its own pages.
  pages.filter(({ path }) => !/^api\/\w+\/(?!index)/.test(path))

function indexPage(groups: readonly Group[]): Page {
  const sections = groups.map(
    group =>
      `<h2>${group.name}</h2><ul>${shown(group)
        .map(({ path, title }) => `<li><a href="${path}">${inline(title)}</a></li>`)
        .join('')}</ul>`,
  )
  const body = `<h1>Windlass</h1><p>Raises Stellar anchors, and lets wallets find them. Begin with <a href="guides/run-on-your-machine.html">a stack on your machine</a>, or with the guide of what you do: <a href="guides/founders.html">found an anchor</a>, <a href="guides/wallet-developers.html">build a wallet</a>, <a href="guides/anchor-developers.html">build on an anchor</a>, <a href="guides/production.html">run the platform</a>.</p>${sections.join('')}`
  return { path: 'index.html', title: 'Documentation', body: () => body }
}

const inline = (text: string): string => escapeHtml(text.replaceAll('`', ''))

/** A whole page. `published`: what a text may link to. */
function frame(groups: readonly Group[], page: Page, published?: ReadonlySet<string>): string {
  const root = posix.relative(posix.dirname(page.path), '.') || '.'
  const at = (path: string): string => `${root}/${path}`
  const body = published ? markdownBody(page.body(), linksOf(page, published)) : page.body()
  const lists = groups.map(group => {
    const isOpen = group.pages.includes(page) || (page.path === 'index.html' && group.name === 'Guides')
    const items = shown(group).map(each => {
      const current = each === page ? ' aria-current="page"' : ''
      return `<li><a href="${at(each.path)}"${current}>${inline(each.title)}</a></li>`
    })
    return `<details${isOpen ? ' open' : ''}><summary>${group.name}</summary><ul>${items.join('')}</ul></details>`
  })
  return `<!doctype html>
<html lang="en" data-root="${root}/">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${inline(page.title)} · Windlass</title>
<link rel="stylesheet" href="${at('site.css')}">
<script type="module" src="${at('site.js')}"></script>
</head>
<body>
<header class="top"><a href="${at('index.html')}">Windlass documentation</a> <small>${packageFile.version}</small></header>
<main class="document${page.source === undefined && page.path !== 'index.html' ? ' reference' : ''}">
${body}
</main>
<nav class="contents" aria-label="Documentation">${lists.join('')}</nav>
</body>
</html>
`
}

/** The address of what a text links to; null: it is a file of the repository, or another folder. */
const linksOf =
  (page: Page, published: ReadonlySet<string>) =>
  (target: string): string | null => {
    if (target.startsWith('#')) return target
    const [file = '', anchor] = target.split('#')
    const found = posix.join(posix.dirname(page.source ?? ''), file)
    const folder = found.replace(/\/$/, '')
    const path = [htmlOf(found), `${folder}/index.html`].find(each => published.has(each))
    const document = /^api\/(\w+)\.json$/.exec(found)?.[1]
    const address = document === undefined ? path : `api/${document}/index.html`
    if (address === undefined) return null
    const relative = posix.relative(posix.dirname(page.path), address)
    return anchor === undefined ? relative : `${relative}#${anchor}`
  }

/** For programs: each text, as Markdown (https://llmstxt.org). */
function llmsText(groups: readonly Group[]): string {
  const parts = groups.map(({ name, pages }) => {
    const items = pages.flatMap(({ source, title }) => (source ? [`- [${title}](${source})`] : []))
    const documents = DOCUMENTS.map(each => `- [OpenAPI document: ${each}](api/${each}.json)`)
    return `## ${name}\n\n${(items.length > 0 ? items : documents).join('\n')}\n`
  })
  return `# Windlass\n\n> Raises Stellar anchors (SEP-1, 2, 6, 10, 12, 24, 31, 38 and 45), and lets wallets find them.\n\n${parts.join('\n')}`
}

/** Sections of texts and operations of the reference: `[page, anchor, title, heading, text]`. */
function searchIndex(pages: readonly Page[]): string {
  return JSON.stringify(pages.flatMap(page => (page.source ? sectionsOf(page) : operationsOf(page))))
}

type Section = [page: string, anchor: string, title: string, heading: string, text: string]

const plain = (text: string): string =>
  text
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/[`*|[\]#]+|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const sectionsOf = (page: Page): Section[] =>
  page
    .body()
    .split(/^(?=#{1,4} )/m)
    .filter(part => part.trim() !== '')
    .map(part => {
      const [, marks = '', heading = ''] = /^(#{0,4}) ?(.*)/.exec(part) ?? []
      const text = plain(part.replace(/^#.*\n/, '')).slice(0, 600)
      const isFirst = marks.length < 2
      return [page.path, isFirst ? '' : slugOf(heading), page.title, isFirst ? '' : plain(heading), text]
    })

const operationsOf = (page: Page): Section[] =>
  [...page.body().matchAll(/<section id="(\w+)">\s*<h2>(.*?)<\/h2>\s*<p>(.*?)<\/p>/g)].map(
    ([, id = '', heading = '', route = '']) =>
      [...[page.path, id, page.title, heading], route.replaceAll(/<[^>]*>/g, '')] as Section,
  )
