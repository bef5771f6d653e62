import type { FastifyInstance } from 'fastify'

/** What pages of other origins may read beside the body. */
export const EXPOSED = [
  'deprecation',
  'etag',
  'idempotency-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'sunset',
  'www-authenticate',
  'x-request-id',
].join(', ')

/**
 * Lets pages of every origin call, with any request header and without credentials. `*` as the list of headers would
 * leave out `Authorization` (Fetch standard), so the answer to a preflight repeats what was requested. `paths`: only those.
 */
export function allowAnyOrigin(app: FastifyInstance, paths = /^/): void {
  app.addHook('onRequest', async ({ url }, reply) => {
    if (!paths.test(url)) return
    reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', EXPOSED)
  })
  app.options('/*', (request, reply) => {
    if (!paths.test(request.url)) return reply.callNotFound()
    const asked = request.headers['access-control-request-headers'] ?? ''
    reply
      .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
      .header('access-control-allow-headers', asked || '*')
      .header('access-control-max-age', '86400')
      .header('vary', 'access-control-request-headers')
      .code(204)
      .send()
  })
}
