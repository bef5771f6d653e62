import type { CookieSerializeOptions } from '@fastify/cookie'

/**
 * A body that is JSON already, sent as it is: for the few endpoints where writing it again would be most of the work.
 * Nothing drops undeclared fields here; its author shows by a test that the contract would write the same.
 */
export class Written<T> {
  readonly json: string
  declare readonly body: T

  constructor(json: string) {
    this.json = json
  }

  toJSON(): T {
    return JSON.parse(this.json) as T
  }
}

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
