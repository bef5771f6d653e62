import { parseJson } from '@windlass/service/bodies.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { FastifyRequest } from 'fastify'
import { readMultipart } from './multipart.ts'
import { refused } from './sep-errors.ts'

const MAX_FIELDS = 100

/** What a wallet sent: texts, and files where it sent multipart. */
export interface Fields {
  texts: Record<string, string>
  files: Record<string, Buffer>
}

/** The texts of a body in JSON, as a form, or in multipart (SEP-12, SEP-24), as {@link readForm}; files are dropped. */
export async function readFields(request: FastifyRequest, raw: Buffer): Promise<Record<string, string>> {
  return (await readForm(request, raw)).texts
}

/** Throws a refusal for a body that is none of JSON, form and multipart, and 415 for other content types. */
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
    throw refused('the form cannot be read')
  })
  if (parts.texts.length + parts.files.length > MAX_FIELDS) {
    throw refused(`at most ${MAX_FIELDS} fields are read`)
  }
  const files: Record<string, Buffer> = Object.create(null)
  for (const [name, bytes] of parts.files) files[nameOf(name)] = bytes
  return { texts: checked(parts.texts), files }
}

function textsOf(document: unknown): Record<string, string> {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw refused('the body must be an object')
  }
  const given = Object.entries(document).filter(([, value]) => value !== null)
  return checked(
    given.map(([name, value]) => {
      if (!['string', 'number', 'boolean'].includes(typeof value)) throw refused(`${name} must be a text`)
      return [name, String(value)]
    }),
  )
}

function checked(fields: [string, string][]): Record<string, string> {
  if (fields.length > MAX_FIELDS) throw refused(`at most ${MAX_FIELDS} fields are read`)
  for (const [name, value] of fields) {
    nameOf(name)
    if (value.includes('\0')) throw refused(`${name} must not contain a NUL character`)
    // Half a surrogate pair is no character: Postgres cannot hold it.
    if (!value.isWellFormed()) throw refused(`${name} is not well-formed text`)
    if (value.length > 2000) throw refused(`${name} is too long`)
    // So are files handed on; no text is to be taken for one.
    if (value.startsWith('data:')) throw refused(`${name}: send files as multipart/form-data`)
  }
  return Object.fromEntries(fields)
}

function nameOf(name: string): string {
  if (!/^[\w.-]{1,64}$/.test(name) || name === '__proto__') throw refused('a field has a wrong name')
  return name
}
