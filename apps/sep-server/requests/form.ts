import { Busboy } from '@fastify/busboy'
import { parseJson, streamBody } from '@windlass/service/http/bodies.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { badRequest } from '../errors.ts'

const MAX_FIELDS = 100
/** More than all fields together need, each at its longest. */
const MAX_FORM_BYTES = 512 * 1024

/** Turns a value of a JSON body into its text. Throws 400 naming the field. */
type ReadValue = (name: string, value: unknown) => string

/** Details about people are strings: a JSON number would lose leading zeros and digits of an account number. */
export const stringsOnly: ReadValue = (name, value) => {
  if (typeof value !== 'string') throw badRequest(`${name} must be a string`)
  return value
}

/** Reads JSON, form and multipart bodies (SEP-12, SEP-24). Throws 400 for invalid ones, 415 for other content types. */
export async function readFields(
  request: FastifyRequest,
  raw: Buffer,
  readValue: ReadValue = stringsOnly,
): Promise<Record<string, string>> {
  if (raw.length === 0) return {}
  const type = request.headers['content-type'] ?? ''
  switch (kindOf(type)) {
    case 'application/json':
      return checkTexts(jsonFields(parseJson(raw), readValue))
    case 'application/x-www-form-urlencoded':
      return checkTexts([...new URLSearchParams(raw.toString())])
    case 'multipart/form-data':
      return readParts(Readable.from([raw]), type, ignoreFile)
    default:
      throw new Problem('unsupported-media-type', 'Send JSON, a form or multipart/form-data.')
  }
}

/** As {@link readFields}, of a `streamed` body that may have files. */
export async function readUploads(
  request: FastifyRequest,
  takeFile: TakeFile,
): Promise<Record<string, string>> {
  const body = streamBody(request)
  const type = request.headers['content-type'] ?? ''
  if (kindOf(type) === 'multipart/form-data') return readParts(body, type, takeFile)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_FORM_BYTES) throw new Problem('body-too-large', 'Send files as multipart/form-data.')
    chunks.push(chunk)
  }
  return readFields(request, Buffer.concat(chunks))
}

/** Throws 415 for another charset than UTF-8. */
function kindOf(contentType: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]
  if (charset && !/^utf-?8$/i.test(charset)) {
    throw new Problem('unsupported-media-type', 'Send the body in UTF-8.')
  }
  return contentType.split(';')[0]?.trim().toLowerCase()
}

async function readParts(
  body: AsyncIterable<Buffer>,
  contentType: string,
  takeFile: TakeFile,
): Promise<Record<string, string>> {
  const taken = new Set<string>()
  const texts = await readMultipart(body, contentType, MAX_FIELDS + 1, async (name, bytes) => {
    checkName(name)
    if (taken.has(name)) throw badRequest(`${name} is there twice`)
    taken.add(name)
    await takeFile(name, bytes)
  }).catch((error: unknown) => {
    throw error instanceof Problem ? error : badRequest('the form cannot be read')
  })
  if (texts.length + taken.size > MAX_FIELDS) throw badRequest(`at most ${MAX_FIELDS} fields are allowed`)
  return checkTexts(texts)
}

/** Where no file is asked for. */
export const ignoreFile: TakeFile = async (_name, bytes) => {
  for await (const _ of bytes);
}

function jsonFields(document: unknown, readValue: ReadValue): [string, string][] {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw badRequest('the body must be an object')
  }
  return Object.entries(document)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [checkName(name), readValue(name, value)])
}

function checkTexts(fields: [string, string][]): Record<string, string> {
  if (fields.length > MAX_FIELDS) throw badRequest(`at most ${MAX_FIELDS} fields are allowed`)
  for (const [name, value] of fields) {
    checkName(name)
    const wrong = problemOfText(name, value)
    if (wrong) throw badRequest(`${name} ${wrong}`)
    if (value.length > 2000) throw badRequest(`${name} is too long`)
    // The business server receives files in this form, so text must not look like one.
    if (value.startsWith('data:')) throw badRequest(`${name}: send files as multipart/form-data`)
  }
  return Object.fromEntries(fields)
}

/** Each name is compared with lists of names. Nobody has one this long, and comparing it would cost others their turn. */
const LONGEST_NAME = 300

/** Why a text is not accepted; null if it is. Only addresses may have line breaks. */
export function problemOfText(name: string, value: string): string | null {
  // Decoders replace invalid bytes with U+FFFD; half a surrogate pair cannot be stored.
  if (value.includes('\uFFFD') || !value.isWellFormed()) return 'is not valid UTF-8'
  if (name.endsWith('name') && value.length > LONGEST_NAME && [...value].length > LONGEST_NAME)
    return `is longer than ${LONGEST_NAME} characters`
  const plain = /address$/.test(name) ? value.replace(/[\r\n\t]/g, ' ') : value
  // The second class changes the direction of text, which disguises names.
  if (/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u.test(plain)) return 'must not contain control characters'
  return null
}

function checkName(name: string): string {
  // `constructor` and its like are not plain keys of an object.
  if (!/^[\w.-]{1,64}$/.test(name) || name in Object.prototype) {
    throw badRequest(`${JSON.stringify(name.slice(0, 64))} is not a valid field name`)
  }
  return name
}
/** Bytes. Longer than any valid field, so that a cut one is still refused. */
const FIELD_SIZE = 10_000

/** Takes a file of a form: its name and its bytes as they come. */
type TakeFile = (name: string, bytes: AsyncIterable<Buffer>) => Promise<void>

/**
 * Reads a multipart form (RFC 7578) as it comes, its files one after another by `takeFile`; the texts, in order. A part is a
 * file if it has a filename, a content type other than text, or the name of a SEP-9 file: some libraries send files without a
 * filename. Parts beyond `limit` are dropped. Throws if invalid, and what `takeFile` throws.
 */
export async function readMultipart(
  body: AsyncIterable<Buffer>,
  contentType: string,
  limit: number,
  takeFile: TakeFile,
): Promise<[name: string, value: string][]> {
  const texts: [string, string][] = []
  const parser = new Busboy({
    headers: { 'content-type': contentType },
    isPartAFile: (name, type, filename) =>
      filename !== undefined || isSep9File(name ?? '') || !(type ?? 'text/plain').startsWith('text/'),
    limits: { parts: limit, fieldSize: FIELD_SIZE, headerPairs: 20 },
  })
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  const taken: Promise<void>[] = []
  const streams: Readable[] = []
  parser.on('field', (name, value) => texts.push([name ?? '', value]))
  parser.on('file', (name, stream) => {
    streams.push(stream)
    // Read the rest, or the parser never reaches the next part.
    const taking = takeFile(name ?? '', stream).finally(() => stream.resume())
    taking.catch(reject)
    taken.push(taking)
  })
  parser.on('error', reject)
  const finished = once(parser, 'finish')
  finished.catch(() => undefined)
  try {
    for await (const chunk of body)
      if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), failed])
    parser.end()
    await Promise.race([finished, failed])
    await Promise.race([Promise.all(taken), failed])
    return texts
  } finally {
    // A reader of a file that never ends would wait for it.
    for (const stream of streams) stream.destroy()
  }
}

const FILES: ReadonlySet<string> = new Set([
  'photo_id_front',
  'photo_id_back',
  'notary_approval_of_photo_id',
  'photo_proof_residence',
  'proof_of_income',
  'proof_of_liveness',
  'organization.photo_incorporation_doc',
  'organization.photo_proof_address',
])

/** Whether the field is a file in SEP-9. */
const isSep9File = (name: string): boolean => FILES.has(name)
