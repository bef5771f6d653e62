import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import { publishProblemPages } from './problem-page.ts'
import { Problem } from './problem.ts'

/** The files below docs/api, one for each audience; `npm run api` prints them from the contracts. */
type DocumentName = 'wallet' | 'aggregator' | 'developer' | 'platform' | 'internal'

export interface Documents {
  name: DocumentName
  /** Where it is served beside `/openapi.json`. */
  alsoAt?: string
}

/** `/openapi.json` (OpenAPI 3.1) and the browsable reference at `/docs`, for a service with a document; a page for each problem. */
export function publishDocuments(app: FastifyInstance, document: Documents | undefined): void {
  publishProblemPages(app)
  if (!document) return
  for (const path of ['/openapi.json', ...(document.alsoAt ? [document.alsoAt] : [])])
    app.get(path, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(await readDocument(document.name)),
    )
  publishReference(app)
}

/** Read on the first request, because it is large. It names the server that serves it. */
async function readDocument(name: DocumentName): Promise<string> {
  const text = await readFile(new URL(`../../../docs/api/${name}.json`, import.meta.url), 'utf8')
  const document = JSON.parse(text) as { servers: unknown }
  return JSON.stringify({ ...document, servers: [{ url: '/', description: 'This server' }] })
}

// The reference is one script of its own that styles itself; nothing is fetched from elsewhere.
const REFERENCE_CSP =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:"

/** Loaded on the first request: its script would keep megabytes in the memory of every server. */
function publishReference(app: FastifyInstance): void {
  let opening: Promise<FastifyInstance> | undefined
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    opening ??= import('./reference.ts').then(({ openReference }) => openReference())
    const reference = await opening
    const { statusCode, headers, rawPayload } = await reference.inject({ url: request.url })
    if (statusCode >= 400) throw new Problem('not-found', 'There is no such page of the reference.')
    for (const name of ['content-type', 'location']) if (headers[name]) reply.header(name, headers[name])
    return reply.code(statusCode).header('content-security-policy', REFERENCE_CSP).send(rawPayload)
  }
  app.get('/docs', answer)
  app.get('/docs/*', answer)
  app.addHook('onClose', async () => (await opening)?.close())
}
