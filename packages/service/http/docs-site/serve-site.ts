import type { FastifyInstance } from 'fastify'
import { keepCompressed, sendKept, type Kept } from '../compressed.ts'
import { markOf } from '../installation.ts'
import { Problem } from '../problem.ts'
import type { SiteFile } from './pages.ts'

/** Pages run the site's own script, which asks for the index of the search. */
const CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The documentation as a site below `/docs/site/`. A file is made when it is first asked for, and kept as it is sent. `isSandbox`: each page says so. */
export function publishSite(app: FastifyInstance, isSandbox = false): void {
  const mark = markOf(isSandbox)
  let files: Promise<Map<string, SiteFile>> | undefined
  const kept = new Map<string, Promise<Kept>>()
  const list = async (): Promise<Map<string, SiteFile>> => {
    const { listSite } = await import('./pages.ts')
    return new Map(listSite().map(file => [file.path, file]))
  }
  // With and without a slash at its end.
  app.get('/docs/site', (_request, reply) => reply.redirect('/docs/site/index.html'))
  app.get('/docs/site/*', async (request, reply) => {
    const path = (request.params as { '*': string })['*'].replace(/(^|\/)$/, '$1index.html')
    const file = (await (files ??= list())).get(path)
    if (!file) throw new Problem('not-found', 'There is no such page of the documentation.')
    const made = async (): Promise<Kept> => {
      const text = await file.make()
      return keepCompressed(file.type, file.type.startsWith('text/html') ? mark(text) : text)
    }
    const found = kept.get(path) ?? made()
    kept.set(path, found)
    return sendKept(request, reply.header('content-security-policy', CSP), await found)
  })
}
