import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import { keepCompressed, sendKept, type Kept } from './compressed.ts'
import type { MarkPage } from './installation.ts'
import { readPageStyle, PAGE_CSP } from './page-style.ts'
import { publishProblemPages } from './problem-page.ts'
import { Problem } from './problem.ts'

/** The files below docs/api, one for each audience; `npm run api` prints them from the contracts. */
type DocumentName = 'wallet' | 'aggregator' | 'developer' | 'platform' | 'internal'

export interface Documents {
  name: DocumentName
  /** Where it is served beside `/openapi.json`. */
  alsoAt?: string
}

/** `/openapi.json` (OpenAPI 3.1) and its reference below `/docs`, for a service with a document; a page for each problem. */
export function publishDocuments(
  app: FastifyInstance,
  document: Documents | undefined,
  mark: MarkPage,
): void {
  publishProblemPages(app, mark)
  if (!document) return
  let text: Promise<Kept> | undefined
  for (const path of ['/openapi.json', ...(document.alsoAt ? [document.alsoAt] : [])])
    app.get(path, async (request, reply) => {
      text ??= readDocument(document.name).then(found =>
        keepCompressed('application/json; charset=utf-8', JSON.stringify(found)),
      )
      return sendKept(request, reply, await text)
    })
  publishReference(app, document, mark)
}

/** Read on the first request, because it is large. It names the server that serves it. */
async function readDocument(name: DocumentName): Promise<object> {
  const text = await readFile(new URL(`../../../docs/api/${name}.json`, import.meta.url), 'utf8')
  return { ...(JSON.parse(text) as object), servers: [{ url: '/', description: 'This server' }] }
}

/** A page for each group of operations, made when it is first asked for and kept as it is sent. */
function publishReference(app: FastifyInstance, { name }: Documents, mark: MarkPage): void {
  const kept = new Map<string, Promise<Kept>>()
  const make = async (group: string) => {
    const [{ referencePage }, document, style] = await Promise.all([
      import('./reference.ts'),
      readDocument(name),
      readPageStyle(),
    ])
    const html = referencePage(document, group, style.path)
    if (html === null) throw new Problem('not-found', 'There is no such page of the reference.')
    return keepCompressed('text/html; charset=utf-8', mark(html))
  }
  for (const path of ['/docs', '/docs/:group'])
    app.get(path, async (request, reply) => {
      const { group = '' } = request.params as { group?: string }
      // Links of the page are relative to its address without the slash.
      if (/^[^?]*\/(\?|$)/.test(request.url)) return reply.redirect(group ? `../${group}` : '../docs')
      const page = kept.get(group) ?? make(group)
      const found = await page
      kept.set(group, page)
      return sendKept(request, reply.header('content-security-policy', PAGE_CSP), found)
    })
}
