import type { CookieSerializeOptions } from '@fastify/cookie'

export interface CookieToSet {
  name: string
  value: string
  options: CookieSerializeOptions
}

export class Answer<T> {
  readonly status: number
  readonly body: T
  readonly headers: Record<string, string>
  readonly cookies: readonly CookieToSet[]

  constructor(
    status: number,
    body: T,
    extra: { headers?: Record<string, string>; cookies?: readonly CookieToSet[] },
  ) {
    this.status = status
    this.body = body
    this.headers = extra.headers ?? {}
    this.cookies = extra.cookies ?? []
  }
}

/** An answer with a status of its own, headers or cookies. */
export function answer<T>(
  status: number,
  body: T,
  extra: { headers?: Record<string, string>; cookies?: readonly CookieToSet[] } = {},
): Answer<T> {
  return new Answer(status, body, extra)
}

/** An answer of 200 that is JSON already. The contract's serializer, which drops undeclared fields, is passed by. */
export function writtenAnswer<T>(json: Buffer): Answer<T> {
  return new Answer<T>(200, json as never, { headers: { 'content-type': 'application/json; charset=utf-8' } })
}

/** A file to keep, which no browser shows and no cache has. */
export function fileAnswer(name: string, bytes: Buffer): Answer<Buffer> {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
    'cache-control': 'no-store',
  }
  return answer(200, bytes, { headers })
}
