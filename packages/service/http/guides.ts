import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import { keepCompressed, sendKept } from './compressed.ts'
import { markdownPage } from './markdown.ts'
import { PAGE_CSP, readPageStyle } from './page-style.ts'
import { Problem } from './problem.ts'

const FOLDER = new URL('../../../docs/guides/', import.meta.url)

/** The guides for people who have no copy of the repository. */
export const guideNames = [
  'anchor-developers',
  'compliance',
  'customers',
  'founders',
  'rails',
  'reconciliation',
  'wallet-developers',
  'wallet-go',
  'wallet-java',
  'wallet-python',
]

/** The address of a guide or a problem from a guide; null: it is not published. */
function linkTo(file: string): string | null {
  const guide = /^(?:\.\/|\.\.\/guides\/)?([\w-]+)\.md(?:#.*)?$/.exec(file)?.[1]
  if (guide !== undefined && guideNames.includes(guide)) return guide
  const problem = /^\.\.\/problems\/([\w-]+)\.md$/.exec(file)?.[1]
  return problem === undefined ? null : `../problems/${problem}`
}

/** `/docs/guides/:name`, for a service that people reach. `adapt`: makes the examples fit the platform that serves them. */
export function publishGuides(app: FastifyInstance, adapt: (text: string) => string): void {
  app.get('/docs/guides/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    if (!guideNames.includes(name)) throw new Problem('not-found', 'There is no such guide.')
    const [text, style] = await Promise.all([
      readFile(new URL(`${name}.md`, FOLDER), 'utf8'),
      readPageStyle(),
    ])
    const page = await keepCompressed(
      'text/html; charset=utf-8',
      markdownPage(adapt(text), style.path, linkTo),
    )
    return sendKept(request, reply.header('content-security-policy', PAGE_CSP), page)
  })
}
