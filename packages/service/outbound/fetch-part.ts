/// <reference path="./undici-parts.d.ts" />
import type { ReadAnswer } from '@windlass/client/client.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import undici from 'undici/lib/global.js'
import { LONGEST_ANSWER } from './bounded-text.ts'

/**
 * Asks a part of Windlass from another, over connections that are kept. Answers are read whole, and cost a quarter of the
 * processor time of Node's own fetch, which builds streams and objects for each. Redirects are not followed, and a longer
 * answer fails.
 *
 * @throws what the connection throws, or the reason of the signal
 */
export async function fetchPart(url: string, init: RequestInit): Promise<ReadAnswer> {
  const { method = 'GET', headers, body = null, signal } = init
  signal?.throwIfAborted()
  const { origin, pathname, search } = new URL(url)
  const asked = { origin, path: pathname + search, method, headers: headers ?? {}, body }
  return new Promise((resolve, reject) => {
    undici
      .getGlobalDispatcher()
      .dispatch(asked as Dispatcher.DispatchOptions, readWhole(signal, resolve, reject))
  })
}

function readWhole(
  signal: AbortSignal | null | undefined,
  resolve: (answer: ReadAnswer) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const parts: Buffer[] = []
  let [status, size] = [0, 0]
  let headers: IncomingHttpHeaders = {}
  // Until there is a connection, for which undici waits ten seconds, nobody but us looks at the signal.
  let stop = (): void => reject(signal?.reason as Error)
  const abort = (): void => stop()
  signal?.addEventListener('abort', abort)
  return {
    onRequestStart: controller => {
      stop = () => controller.abort(signal?.reason as Error)
      if (signal?.aborted) stop()
    },
    onResponseStart: (_controller, statusCode, given) => void ([status, headers] = [statusCode, given]),
    onResponseData: (controller, part) => {
      size += part.length
      if (size > LONGEST_ANSWER)
        controller.abort(new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`))
      else parts.push(part)
    },
    onResponseEnd: () => {
      signal?.removeEventListener('abort', abort)
      const [first] = parts
      const text = (parts.length === 1 && first ? first : Buffer.concat(parts)).toString()
      resolve(answerOf(status, headers, text))
    },
    onResponseError: (_controller, error) => {
      signal?.removeEventListener('abort', abort)
      reject(error)
    },
  }
}

const answerOf = (status: number, given: IncomingHttpHeaders, text: string): ReadAnswer => ({
  status,
  text,
  header: name => {
    const value = given[name]
    return value === undefined ? null : String(value)
  },
  get headers() {
    return new Headers(
      Object.entries(given).flatMap(([name, value = []]) =>
        [value].flat().map((each): [string, string] => [name, each]),
      ),
    )
  },
})
