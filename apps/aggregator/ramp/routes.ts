import serveFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bandText } from '@windlass/service/http/installation.ts'
import type { Config } from '../config.ts'

const BUILT = fileURLToPath(new URL('../../../packages/ramp/dist/', import.meta.url))

/**
 * The web component for pages of every origin at `/ramp/windlass-ramp.js`, and the hosted page at `/ramp`. Neither is
 * there in a checkout that was not built.
 */
export async function serveRamp(
  app: FastifyInstance,
  { networkPassphrase = '', local, sandbox }: Pick<Config, 'networkPassphrase' | 'local' | 'sandbox'>,
  folder = BUILT,
): Promise<void> {
  if (!existsSync(join(folder, 'page.html'))) return
  await app.register(serveFiles, {
    root: folder,
    prefix: '/ramp/',
    wildcard: false,
    preCompressed: true,
    globIgnore: ['**/*.br', '**/*.gz', 'page.html'],
    cacheControl: false,
    setHeaders: (reply, path) => {
      const hashed = path.startsWith(join(folder, 'assets'))
      reply
        .header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        .header('cross-origin-resource-policy', 'cross-origin')
    },
  })
  const template = await readFile(join(folder, 'page.html'), 'utf8')
  const band = sandbox ? `<p id="band" data-es="${bandText('es')}">${bandText('en')}</p>` : ''
  const page = template
    .replace('{network}', escapeAttribute(networkPassphrase))
    .replace('<main>', main => main + band)
  app.get('/ramp', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy(local))
      .send(page),
  )
}

/** Anchors are anywhere; on a developer's machine they speak http. */
const policy = (local: boolean) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' https:${local ? ' http:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const escapeAttribute = (text: string) =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
