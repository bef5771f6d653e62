import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parse } from 'secure-json-parse'
import { Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The untouched body of an endpoint declared `raw`. */
    rawBytes?: Buffer
  }
  interface FastifyContextConfig {
    body?: 'ignored' | 'raw' | 'json' | 'json-or-form'
  }
}

/**
 * What a body may be follows from the contract: ignored where it declares none, kept as bytes where it is raw,
 * else JSON (and a form where it says so). Anything else is 415.
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, parseBody(request, bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const kind = request.routeOptions.config.body ?? 'ignored'
  if (kind === 'ignored') return undefined
  if (kind === 'raw') {
    request.rawBytes = bytes
    return undefined
  }
  if (bytes.length === 0) return undefined
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(bytes)
  if (kind === 'json-or-form' && type === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
  }
  throw new Problem('unsupported-media-type', 'Send the body as application/json.')
}

/**
 * JSON with `__proto__` and `constructor.prototype` keys refused. Throws `malformed-request`, and `validation-failed` for
 * a number that would lose digits: amounts and account numbers must not change.
 */
export function parseJson(bytes: Buffer): unknown {
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

function refuseInexact(key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !context?.source) return value
  if (significant(context.source) === significant(String(value))) return value
  const path = key || 'body'
  const message = 'has more digits than a JSON number keeps. Send it as a string'
  throw new Problem('validation-failed', `${path} ${message}.`, { errors: [{ path, message }] })
}

/** A decimal number's digits and exponent, the same for `1.50`, `1.5` and `15e-1`. */
function significant(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^(-?)0+/, '$1')
  const trimmed = digits.replace(/0+$/, '')
  const zero = trimmed === '' || trimmed === '-'
  return zero ? '0' : `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`
}
