import { parseJson } from '@windlass/service/bodies.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { FastifyRequest } from 'fastify'
import { badRequest } from '../errors.ts'
import { Busboy } from '@fastify/busboy'

const MAX_FIELDS = 100

/** The fields of a body, and its files if it is multipart. */
export interface Fields {
  texts: Record<string, string>
  files: Record<string, Buffer>
}

/** As {@link readForm}, without files. */
export async function readFields(request: FastifyRequest, raw: Buffer): Promise<Record<string, string>> {
  return (await readForm(request, raw)).texts
}

/** Reads JSON, form and multipart bodies (SEP-12, SEP-24). Throws 400 for invalid ones, 415 for other content types. */
export async function readForm(request: FastifyRequest, raw: Buffer): Promise<Fields> {
  if (raw.length === 0) return { texts: {}, files: {} }
  const type = request.headers['content-type'] ?? ''
  const kind = type.split(';')[0]?.trim().toLowerCase()
  if (kind === 'application/json') return { texts: textsOf(parseJson(raw)), files: {} }
  if (kind === 'application/x-www-form-urlencoded') {
    return { texts: checked([...new URLSearchParams(raw.toString())]), files: {} }
  }
  if (kind === 'multipart/form-data') return formOf(raw, type)
  throw new Problem('unsupported-media-type', 'Send JSON, a form or multipart/form-data.')
}

async function formOf(raw: Buffer, contentType: string): Promise<Fields> {
  const parts = await readMultipart(raw, contentType, MAX_FIELDS + 1).catch(() => {
    throw badRequest('the form cannot be read')
  })
  if (parts.texts.length + parts.files.length > MAX_FIELDS) {
    throw badRequest(`at most ${MAX_FIELDS} fields are allowed`)
  }
  const files: Record<string, Buffer> = Object.create(null)
  for (const [name, bytes] of parts.files) files[nameOf(name)] = bytes
  return { texts: checked(parts.texts), files }
}

function textsOf(document: unknown): Record<string, string> {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw badRequest('the body must be an object')
  }
  const given = Object.entries(document).filter(([, value]) => value !== null)
  return checked(
    given.map(([name, value]) => {
      if (!['string', 'number', 'boolean'].includes(typeof value)) throw badRequest(`${name} must be a text`)
      return [name, String(value)]
    }),
  )
}

function checked(fields: [string, string][]): Record<string, string> {
  if (fields.length > MAX_FIELDS) throw badRequest(`at most ${MAX_FIELDS} fields are allowed`)
  for (const [name, value] of fields) {
    nameOf(name)
    if (value.includes('\0')) throw badRequest(`${name} must not contain a NUL character`)
    // Postgres cannot store half a surrogate pair.
    if (!value.isWellFormed()) throw badRequest(`${name} is not well-formed text`)
    if (value.length > 2000) throw badRequest(`${name} is too long`)
    // The business server receives files in this form, so text must not look like one.
    if (value.startsWith('data:')) throw badRequest(`${name}: send files as multipart/form-data`)
  }
  return Object.fromEntries(fields)
}

function nameOf(name: string): string {
  if (!/^[\w.-]{1,64}$/.test(name) || name === '__proto__') throw badRequest('a field has an invalid name')
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
export const isSep9File = (name: string): boolean => FILES.has(name)
