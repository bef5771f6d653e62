import { refuseForeignHost } from '@windlass/service/local-host.ts'
import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'"
const assets = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
} as const

/** The page that shows the mails. */
export async function servePage(app: FastifyInstance): Promise<void> {
  for (const [path, [file, type]] of Object.entries(assets)) {
    const text = await readFile(new URL(file, import.meta.url), 'utf8')
    app.get(path, { schema: { hide: true }, onRequest: refuseForeignHost }, (_request, reply) =>
      reply.type(type).header('content-security-policy', CSP).header('cache-control', 'no-cache').send(text),
    )
  }
}
