import { parseJson } from '@windlass/service/bodies.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { FastifyRequest } from 'fastify'
import { refused } from './sep-errors.ts'

/** An uploaded file, as a data URL: what the business server is given. */
const dataUrl = (type: string, bytes: Buffer) =>
  `data:${type || 'application/octet-stream'};base64,${bytes.toString('base64')}`

const MAX_FIELDS = 100

/**
 * The fields of a body in JSON, as a form, or in multipart (SEP-12, SEP-24): names to texts; an uploaded file is a
 * data URL. Throws a refusal for anything else, and 415 for other content types.
 */
export async function readFields(request: FastifyRequest, raw: Buffer): Promise<Record<string, string>> {
  if (raw.length === 0) return {}
  const type = request.headers['content-type'] ?? ''
  const kind = type.split(';')[0]?.trim().toLowerCase()
  if (kind === 'application/json') return textsOf(parseJson(raw))
  if (kind === 'multipart/form-data' || kind === 'application/x-www-form-urlencoded') {
    return formOf(raw, type)
  }
  throw new Problem('unsupported-media-type', 'Send JSON, a form or multipart/form-data.')
}

async function formOf(raw: Buffer, contentType: string): Promise<Record<string, string>> {
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw refused('the form cannot be read')
    })
  const fields: [string, string][] = []
  for (const [name, value] of form) {
    const text =
      typeof value === 'string' ? value : dataUrl(value.type, Buffer.from(await value.arrayBuffer()))
    fields.push([name, text])
  }
  return checked(fields)
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
    if (!/^[\w.-]{1,64}$/.test(name) || name === '__proto__') throw refused('a field has a wrong name')
    if (value.includes('\0')) throw refused(`${name} must not contain a NUL character`)
    // Half a surrogate pair is no character: Postgres cannot hold it.
    if (!value.isWellFormed()) throw refused(`${name} is not well-formed text`)
    if (!value.startsWith('data:') && value.length > 2000) throw refused(`${name} is too long`)
  }
  return Object.fromEntries(fields)
}
