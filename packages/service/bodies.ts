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

/** JSON with `__proto__` and `constructor.prototype` keys refused. Throws `malformed-request`. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'error' })
  } catch (cause) {
    throw new Problem('malformed-request', 'The body is not valid JSON.', { cause })
  }
}
