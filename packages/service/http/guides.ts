import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import { keepCompressed, keepNewest, sendKept } from './compressed.ts'
import { markOf } from './installation.ts'
import { markdownPage, titleOf } from './markdown.ts'
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

/** Above each guide. */
const NAVIGATION = '[All guides](index.md) · [API reference](reference.md)'

/** The address of a guide or a problem from a guide; null: it is not published. */
function linkTo(file: string): string | null {
  if (file === 'index.md') return './'
  if (file === 'reference.md') return '../'
  const guide = /^(?:\.\/|\.\.\/guides\/)?([\w-]+)\.md(?:#.*)?$/.exec(file)?.[1]
  if (guide !== undefined && guideNames.includes(guide)) return guide
  const problem = /^\.\.\/problems\/([\w-]+)\.md$/.exec(file)?.[1]
  return problem === undefined ? null : `../problems/${problem}`
}

/**
 * `/docs/guides/:name`, for a service that people reach, `/docs/guides/:name.md` for programs, and `/llms.txt`, which lists
 * those. `adapt`: makes the examples fit the platform that serves them. `isSandbox`: each page says so.
 */
export function publishGuides(
  app: FastifyInstance,
  adapt: (text: string) => string,
  isSandbox = false,
): void {
  const mark = markOf(isSandbox)
  const readGuide = async (name: string): Promise<string> => {
    if (!guideNames.includes(name)) throw new Problem('not-found', 'There is no such guide.')
    return adapt(await readFile(new URL(`${name}.md`, FOLDER), 'utf8'))
  }
  const titles = async (address: (name: string) => string): Promise<string> => {
    const lines = guideNames.map(async name => `- [${titleOf(await readGuide(name))}](${address(name)})`)
    return (await Promise.all(lines)).join('\n')
  }
  const pageOf = keepNewest(async text => {
    const { path } = await readPageStyle()
    return keepCompressed('text/html; charset=utf-8', mark(markdownPage(text, path, linkTo)))
  })
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string, text: string) =>
    sendKept(request, reply.header('content-security-policy', PAGE_CSP), await pageOf(name, text))
  app.get('/docs/guides', async (request, reply) => {
    // The links are relative to the folder.
    if (!request.url.split('?')[0]?.endsWith('/')) return reply.redirect('guides/')
    const list = await titles(name => `${name}.md`)
    return send(request, reply, '', `# Guides\n\n${list}\n\n[API reference](reference.md)\n`)
  })
  app.get('/docs/guides/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    if (name.endsWith('.md'))
      return reply.type('text/markdown; charset=utf-8').send(await readGuide(name.slice(0, -3)))
    return send(request, reply, name, `${NAVIGATION}\n\n${await readGuide(name)}`)
  })
  app.get('/llms.txt', async (_request, reply) => {
    const list = await titles(name => `docs/guides/${name}.md`)
    const text = `# Windlass\n\n> Finds Stellar anchors, compares what they take, and hands wallets over to the best one. Each anchor serves SEP-1, 2, 6, 10, 12, 24, 31, 38 and 45.\n\n## Guides\n\n${list}\n\n## API\n\n- [OpenAPI document of the aggregator](openapi.json)\n`
    return reply.type('text/plain; charset=utf-8').send(text)
  })
}
