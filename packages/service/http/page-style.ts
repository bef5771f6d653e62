import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { keepCompressed, sendKept, type Kept } from './compressed.ts'
import { readBaseStyle } from './local-page.ts'
import { Problem } from './problem.ts'

/** Pages of the documentation run no script. */
export const PAGE_CSP = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const YEAR = 'public, max-age=31536000, immutable'

interface Style {
  /** With a hash of what is in it, so browsers keep it. */
  path: string
  kept: Kept
}

let reading: Promise<Style> | undefined

/** The look of pages about problems and of the reference. */
export const readPageStyle = (): Promise<Style> => (reading ??= read())

async function read(): Promise<Style> {
  const own = readFile(new URL('./reference.css', import.meta.url), 'utf8')
  const css = (await Promise.all([readBaseStyle(), own])).join('')
  const hash = createHash('sha256').update(css).digest('base64url').slice(0, 12)
  return {
    path: `/docs/problems/style/${hash}.css`,
    kept: await keepCompressed('text/css; charset=utf-8', css),
  }
}

/** Below the pages of problems, whose addresses the consoles pass on. */
export function publishPageStyle(app: FastifyInstance): void {
  app.get('/docs/problems/style/:hash', async (request, reply) => {
    const { path, kept } = await readPageStyle()
    if (request.url.split('?')[0] !== path) throw new Problem('not-found', 'There is no such style sheet.')
    return sendKept(request, reply, kept, YEAR)
  })
}
