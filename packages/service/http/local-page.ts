import serveFiles from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import { Problem } from './problem.ts'

const LOCAL =
  /^(localhost|[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i

/**
 * Keeps a page for this machine from other sites whose names resolve here (DNS rebinding). For use as a hook.
 * Throws `foreign-host`.
 */
export async function refuseForeignHost(request: FastifyRequest): Promise<void> {
  if (LOCAL.test(request.headers.host ?? '')) return
  throw new Problem('foreign-host', 'Open this address as localhost, on the machine it runs on.')
}

/** The look that pages without a build share. */
export const readBaseStyle = (): Promise<string> => readFile(new URL('./base.css', import.meta.url), 'utf8')

/** Serves the files of a folder to this machine only, `page.html` at `/`, with the shared look at `/base.css`. */
export async function serveLocalPage(
  app: FastifyInstance,
  folder: URL,
  contentSecurityPolicy: string,
): Promise<void> {
  const baseStyle = await readBaseStyle()
  await app.register(async scope => {
    scope.addHook('onRequest', refuseForeignHost)
    scope.get('/base.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(baseStyle),
    )
    await scope.register(serveFiles, {
      root: folder,
      wildcard: false,
      index: 'page.html',
      cacheControl: false,
      setHeaders: reply =>
        void reply
          .header('content-security-policy', contentSecurityPolicy)
          .header('cache-control', 'no-cache'),
    })
  })
}
