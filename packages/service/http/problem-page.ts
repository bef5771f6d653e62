import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import type { MarkPage } from './installation.ts'
import { markdownPage } from './markdown.ts'
import { PAGE_CSP, publishPageStyle, readPageStyle } from './page-style.ts'
import { Problem } from './problem.ts'

const FOLDER = new URL('../../../docs/problems/', import.meta.url)

/** `/docs/problems/:code`: what a problem means and what to do, as a page for browsers and Markdown for others. */
export function publishProblemPages(app: FastifyInstance, mark: MarkPage): void {
  publishPageStyle(app)
  app.get('/docs/problems/:code', async (request, reply) => {
    const markdown = await problemText((request.params as { code: string }).code)
    reply.header('vary', 'accept')
    if (!wantsPage(request)) {
      return reply.type('text/markdown; charset=utf-8').header('content-disposition', 'inline').send(markdown)
    }
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', PAGE_CSP)
      .send(mark(markdownPage(markdown, (await readPageStyle()).path)))
  })
}

const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

async function problemText(code: string): Promise<string> {
  if (!Object.hasOwn(problems, code)) throw new Problem('not-found', 'There is no such problem.')
  return readFile(new URL(`${code}.md`, FOLDER), 'utf8').catch(
    () => `# ${problems[code as ProblemCode].title}\n`,
  )
}
