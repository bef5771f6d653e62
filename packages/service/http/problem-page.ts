import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import { escapeHtml } from './html.ts'
import { PAGE_CSP, publishPageStyle, readPageStyle } from './page-style.ts'
import { Problem } from './problem.ts'

const FOLDER = new URL('../../../docs/problems/', import.meta.url)

/** `/docs/problems/:code`: what a problem means and what to do, as a page for browsers and Markdown for others. */
export function publishProblemPages(app: FastifyInstance): void {
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
      .send(problemPage(markdown, (await readPageStyle()).path))
  })
}

const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

async function problemText(code: string): Promise<string> {
  if (!Object.hasOwn(problems, code)) throw new Problem('not-found', 'There is no such problem.')
  return readFile(new URL(`${code}.md`, FOLDER), 'utf8').catch(
    () => `# ${problems[code as ProblemCode].title}\n`,
  )
}

/** A problem's text as HTML. The texts use headings, paragraphs, fences, and code, bold and links in a line. */
export function problemPage(markdown: string, style: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Problem'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${inline(title)} · Windlass</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main class="document">
${blocksOf(markdown).map(block).join('\n')}
</main>
</body>
</html>
`
}

/** Paragraphs, headings and whole fences of code. */
const blocksOf = (markdown: string): string[] =>
  markdown
    .split(/^(```\w*\n[\s\S]*?\n```)$/m)
    .flatMap(part => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)))
    .map(part => part.trim())
    .filter(part => part !== '')

function block(text: string): string {
  const code = /^```\w*\n([\s\S]*)\n```$/.exec(text)
  if (code) return `<pre tabindex="0"><code>${escapeHtml(code[1] ?? '')}</code></pre>`
  const heading = /^(#{1,2}) (.+)$/.exec(text)
  if (heading) return `<h${heading[1]?.length}>${inline(heading[2] ?? '')}</h${heading[1]?.length}>`
  return `<p>${inline(text)}</p>`
}

/** A link to a file of the repository becomes its text: servers do not serve the file. */
const inline = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1')
