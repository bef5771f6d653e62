import { trimZeros } from '@windlass/money/trim-zeros.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { parse } from 'secure-json-parse'
import { createBodyBudget } from './body-budget.ts'
import { hashOf } from './platform-proof.ts'
import { Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The untouched body of an endpoint declared `raw`. */
    rawBytes?: Buffer
    /** The hash of the only body that the caller's proof allows, until that body is read. */
    provenBody?: string | undefined
  }
  interface FastifyContextConfig {
    body?: BodyKind
  }
}

/** `streamed`: the handler reads it from `request.raw`, by {@link streamBody}. */
export type BodyKind = 'ignored' | 'raw' | 'streamed' | 'json' | 'json-or-form'

/**
 * The contract decides what a body can be: ignored if it declares none, kept as bytes if it is raw, else JSON (and a
 * form if it says so). Anything else is 415.
 */
export function readBodies(app: FastifyInstance): void {
  const count = createBodyBudget()
  app.addHook('preParsing', async (request, reply, payload) => {
    count(request, reply)
    const coding = request.headers['content-encoding'] ?? 'identity'
    const kind = request.routeOptions.config.body
    // For Fastify it is empty, although it has the length that its head says.
    const length = Number(request.headers['content-length'] ?? 0)
    if (coding.toLowerCase() === 'identity' && kind === 'streamed') {
      if (length > (request.routeOptions.bodyLimit ?? 0)) throw tooLarge(request)
      return Object.assign(Readable.from([]), { receivedEncodedLength: length })
    }
    if (coding.toLowerCase() === 'identity' || kind === undefined || kind === 'ignored') return payload
    throw new Problem('unsupported-media-type', 'Send the body uncompressed.', {
      headers: { 'accept-encoding': 'identity' },
    })
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      requireProvenBody(request, bytes as Buffer)
      done(null, parseBody(request, bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  // Without a body nothing is parsed.
  app.addHook('preValidation', async request => requireProvenBody(request, Buffer.alloc(0)))
}

function requireProvenBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.provenBody === undefined) return
  if (request.provenBody !== hashOf(bytes))
    throw new Problem('unauthenticated', 'The body is not the one that the proof in the head is about.')
  request.provenBody = undefined
}

/**
 * The bytes of a `streamed` body as they come. Where reading stops, the rest passes, so that the client gets the answer.
 * Throws `body-too-large` beyond the endpoint's limit.
 */
export async function* streamBody(request: FastifyRequest): AsyncGenerator<Buffer> {
  const { raw, routeOptions } = request
  let size = 0
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length
      if (size > (routeOptions.bodyLimit ?? 0)) throw tooLarge(request)
      yield chunk as Buffer
    }
  } finally {
    raw.resume()
  }
}

const tooLarge = ({ routeOptions }: FastifyRequest) =>
  new Problem('body-too-large', `The body must have at most ${routeOptions.bodyLimit} bytes.`)

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const kind = request.routeOptions.config.body ?? 'ignored'
  if (kind === 'ignored') return undefined
  if (kind === 'raw') {
    request.rawBytes = bytes
    return undefined
  }
  if (bytes.length === 0) return undefined
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const charset = parameters.find(parameter => parameter.startsWith('charset='))?.slice('charset='.length)
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new Problem('unsupported-media-type', 'Send the body as UTF-8.')
  }
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(bytes)
  if (kind === 'json-or-form' && type === 'application/x-www-form-urlencoded') {
    return parseForm(bytes)
  }
  throw new Problem('unsupported-media-type', 'Send the body as application/json.')
}

/** The fields of an `application/x-www-form-urlencoded` body. Throws `malformed-request` where it is not UTF-8. */
function parseForm(bytes: Buffer): Record<string, string> {
  const fields = Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
  // The URL standard decodes bytes that are not UTF-8 to this character.
  if (
    Object.entries(fields)
      .flat()
      .some(text => text.includes('\uFFFD'))
  )
    throw notUtf8()
  return fields
}

/**
 * JSON with `__proto__` and `constructor.prototype` keys refused. Throws `malformed-request`, and `validation-failed` for
 * a number that would lose digits: amounts and account numbers must not change.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notUtf8()
  const text = bytes.toString('utf8')
  try {
    const exact = MAY_LOSE_DIGITS.test(text) ? refuseInexact : undefined
    return parse(text, exact, { protoAction: 'error', constructorAction: 'error' })
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw new Problem('malformed-request', 'The body is not valid JSON.', { cause })
  }
}

/** Sixteen digits, or an exponent. */
const MAY_LOSE_DIGITS = /\d[\d.]{15}|\d[eE]/
/** No number that keeps its digits needs more characters, and a longer one would cost more than its sender. */
const MOST_CHARACTERS = 40

function refuseInexact(key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !context?.source) return value
  const { source } = context
  if (source.length <= MOST_CHARACTERS && significant(source) === significant(String(value))) return value
  const path = key || 'body'
  const message = 'has more digits than a JSON number keeps. Send it as a string'
  throw new Problem('validation-failed', `${path} ${message}.`, { errors: [{ path, message }] })
}

/** A decimal number's digits and exponent, the same for `1.50`, `1.5` and `15e-1`. */
function significant(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^(-?)0+/, '$1')
  const trimmed = trimZeros(digits)
  const zero = trimmed === '' || trimmed === '-'
  return zero ? '0' : `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`
}

const notUtf8 = () => new Problem('malformed-request', 'The body is not UTF-8.')
