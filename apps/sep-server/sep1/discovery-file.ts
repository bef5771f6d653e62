import type { FastifyInstance } from 'fastify'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import type { AnchorSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { readFile } from 'node:fs/promises'
import type { Deps } from '../deps.ts'
import { hashOf, isKnown } from '@windlass/service/http/conditional.ts'
import { unavailable } from '@windlass/service/http/problem.ts'

/** Caches may keep the answer for ten seconds anyway. */
const READ_AGAIN_MS = 1_000

/** SEP-1, with the operator's logo and support address: the file as the control plane wrote it, readable by pages of every origin. */
export function serveDiscoveryFile(app: FastifyInstance, path: string, { config, terms }: Deps): void {
  let readAt = -Infinity
  let shown = { text: '', branding: '', body: Buffer.alloc(0), hash: '' }
  const read = async () => {
    const { branding } = await terms.current()
    const isSame = JSON.stringify(branding) === shown.branding
    if (isSame && performance.now() - readAt < READ_AGAIN_MS) return shown
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw unavailable('The discovery file', cause)
    })
    readAt = performance.now()
    if (isSame && text === shown.text) return shown
    const whole = withBranding(text, config.anchor, branding)
    shown = {
      ...{ text, branding: JSON.stringify(branding) },
      ...{ body: Buffer.from(whole), hash: hashOf(whole) },
    }
    return shown
  }
  app.get('/.well-known/stellar.toml', async (request, reply) => {
    const { body, hash } = await read()
    reply.header('cache-control', 'public, max-age=10').header('etag', `W/"${hash}"`)
    if (isKnown(request, hash)) return reply.code(304).send()
    return reply.type('text/plain; charset=utf-8').send(body)
  })
}

/** The file is TOML that the platform wrote, with one `[DOCUMENTATION]` table. */
function withBranding(
  text: string,
  { publicUrl }: AnchorConfig,
  { logo, supportEmail }: AnchorSettings['branding'],
): string {
  const lines = [
    ...(logo ? [`ORG_LOGO = ${JSON.stringify(`${publicUrl}/interactive/logos/${logo}`)}`] : []),
    ...(supportEmail ? [`ORG_SUPPORT_EMAIL = ${JSON.stringify(supportEmail)}`] : []),
  ]
  return lines.length === 0
    ? text
    : text.replace(/^\[DOCUMENTATION\]\n/m, start => `${start}${lines.join('\n')}\n`)
}
