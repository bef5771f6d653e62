import serveFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { refuseForeignHost } from './local-host.ts'

/** Serves the files of a folder to this machine only, `page.html` at `/`. */
export async function serveLocalPage(
  app: FastifyInstance,
  folder: URL,
  contentSecurityPolicy: string,
): Promise<void> {
  await app.register(async scope => {
    scope.addHook('onRequest', refuseForeignHost)
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
