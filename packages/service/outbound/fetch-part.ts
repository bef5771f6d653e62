import { request } from 'undici'
import { textWithin } from './bounded-text.ts'

/** Statuses that have no body. */
const EMPTY: readonly number[] = [204, 205, 304]

/**
 * A fetch for parts of Windlass that ask each other all the time. Answers are read whole, and cost a third
 * of the processor time of Node's own fetch. Redirects are not followed, and a longer answer fails.
 */
export async function fetchPart(url: string, init: RequestInit): Promise<Response> {
  // Streams and files are read by Node's own.
  if (typeof init.body !== 'string' && init.body !== undefined)
    return fetch(url, { ...init, redirect: 'error' })
  const { statusCode, headers, body } = await request(url, {
    method: init.method ?? 'GET',
    headers: init.headers as Record<string, string>,
    body: init.body ?? null,
    signal: init.signal ?? null,
  })
  const text = await textWithin(body)
  return new Response(EMPTY.includes(statusCode) ? null : text, {
    status: statusCode,
    headers: Object.entries(headers).flatMap(([name, value = []]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  })
}
