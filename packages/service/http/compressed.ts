import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib'

/** A text of the documentation as it is kept: compressed, in both ways that clients take. */
export interface Kept {
  type: string
  etag: string
  br: Buffer
  gzip: Buffer
}

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

export async function keepCompressed(type: string, text: string): Promise<Kept> {
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(text, QUALITY), promisify(gzip)(text)])
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  return { type, etag, br, gzip: zipped }
}

/** Makes the page of a text when it is first asked for, and again where the text under its name has changed. */
export function keepNewest(
  make: (text: string) => Promise<Kept>,
): (name: string, text: string) => Promise<Kept> {
  const newest = new Map<string, { text: string; page: Promise<Kept> }>()
  return (name, text) => {
    const kept = newest.get(name)
    if (kept?.text === text) return kept.page
    const page = make(text)
    newest.set(name, { text, page })
    page.catch(() => newest.delete(name))
    return page
  }
}

/** Answers with a kept text, or 304 where the client has it. `cacheControl`: `no-cache` asks again each time. */
export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, etag, ...kept }: Kept,
  cacheControl = 'no-cache',
  vary = 'accept-encoding',
): Promise<FastifyReply> {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find(name => new RegExp(`\\b${name}\\b(?!;q=0)`).test(accepted))
  const tag = encoding ? etag.replace(/"$/, `-${encoding}"`) : etag
  reply.header('cache-control', cacheControl).header('vary', vary).header('etag', tag)
  if (request.headers['if-none-match']?.split(/,\s*/).includes(tag)) return reply.code(304).send()
  reply.type(type)
  if (!encoding) return reply.send(await promisify(gunzip)(kept.gzip))
  return reply.header('content-encoding', encoding).send(kept[encoding])
}
