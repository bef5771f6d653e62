import { Busboy } from '@fastify/busboy'
import { parseJson } from '@windlass/service/http/bodies.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { badRequest } from '../errors.ts'

const MAX_FIELDS = 100

/** The fields of a body, and its files if it is multipart. */
export interface Fields {
  texts: Record<string, string>
  files: Record<string, Buffer>
}

/** Turns a value of a JSON body into its text. Throws 400 naming the field. */
type ReadValue = (name: string, value: unknown) => string

/** Details about people are strings: a JSON number would lose leading zeros and digits of an account number. */
export const stringsOnly: ReadValue = (name, value) => {
  if (typeof value !== 'string') throw badRequest(`${name} must be a string`)
  return value
}

/** As {@link readForm}, without files. */
export async function readFields(
  request: FastifyRequest,
  raw: Buffer,
  readValue?: ReadValue,
): Promise<Record<string, string>> {
  return (await readForm(request, raw, readValue)).texts
}

/** Reads JSON, form and multipart bodies (SEP-12, SEP-24). Throws 400 for invalid ones, 415 for other content types. */
export async function readForm(
  request: FastifyRequest,
  raw: Buffer,
  readValue: ReadValue = stringsOnly,
): Promise<Fields> {
  if (raw.length === 0) return { texts: {}, files: {} }
  const type = request.headers['content-type'] ?? ''
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1]
  if (charset && !/^utf-?8$/i.test(charset)) {
    throw new Problem('unsupported-media-type', 'Send the body in UTF-8.')
  }
  const kind = type.split(';')[0]?.trim().toLowerCase()
  if (kind === 'application/json') {
    return { texts: checkTexts(jsonFields(parseJson(raw), readValue)), files: {} }
  }
  if (kind === 'application/x-www-form-urlencoded') {
    return { texts: checkTexts([...new URLSearchParams(raw.toString())]), files: {} }
  }
  if (kind === 'multipart/form-data') return readFormParts(raw, type)
  throw new Problem('unsupported-media-type', 'Send JSON, a form or multipart/form-data.')
}

async function readFormParts(raw: Buffer, contentType: string): Promise<Fields> {
  const parts = await readMultipart(raw, contentType, MAX_FIELDS + 1).catch(() => {
    throw badRequest('the form cannot be read')
  })
  if (parts.texts.length + parts.files.length > MAX_FIELDS) {
    throw badRequest(`at most ${MAX_FIELDS} fields are allowed`)
  }
  const files: Record<string, Buffer> = Object.create(null)
  for (const [name, bytes] of parts.files) files[checkName(name)] = bytes
  return { texts: checkTexts(parts.texts), files }
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

/** Why a text is not accepted; null if it is. Only addresses may have line breaks. */
export function problemOfText(name: string, value: string): string | null {
  // Decoders replace invalid bytes with U+FFFD; half a surrogate pair cannot be stored.
  if (value.includes('\uFFFD') || !value.isWellFormed()) return 'is not valid UTF-8'
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
/** The parts of a form, in order. */
export interface Parts {
  texts: [name: string, value: string][]
  files: [name: string, bytes: Buffer][]
}

/** Bytes. Longer than any valid field, so that a cut one is still refused. */
const FIELD_SIZE = 10_000

/**
 * Parses a multipart form (RFC 7578). A part is a file if it has a filename, a content type other than text, or the name
 * of a SEP-9 file: some libraries send files without a filename. Parts beyond `limit` are dropped. Throws if invalid.
 */
export function readMultipart(raw: Buffer, contentType: string, limit: number): Promise<Parts> {
  return new Promise((resolve, reject) => {
    const parts: Parts = { texts: [], files: [] }
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: (name, type, filename) =>
        filename !== undefined || isSep9File(name ?? '') || !(type ?? 'text/plain').startsWith('text/'),
      limits: { parts: limit, fieldSize: FIELD_SIZE, headerPairs: 20 },
    })
    parser.on('field', (name, value) => parts.texts.push([name ?? '', value]))
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', reject)
      stream.on('end', () => parts.files.push([name ?? '', Buffer.concat(chunks)]))
    })
    parser.on('finish', () => resolve(parts))
    parser.on('error', reject)
    parser.end(raw)
  })
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
