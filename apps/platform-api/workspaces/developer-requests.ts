import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import {
  type DeveloperAnswer,
  sendDeveloperRequest,
} from '@windlass/contracts/platform/developer-requests.ts'
import { invalid, unavailable } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireMember } from '../anchors/access.ts'
import type { AnchorRow } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'

const TIMEOUT_MS = 10_000
/** Several times an anchor's OpenAPI document, from which the developer tab makes its reference. */
const MAX_BYTES = 4 * 1024 * 1024
/** What one operator may send. */
const REQUESTS_A_MINUTE = 60
const SHOWN_HEADERS = ['content-type', 'link', 'x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy']
const TEXT = /^(text\/|application\/([\w.+-]*\+)?(json|xml))/

/** Requests to an anchor's API from the developer tab: a page of another origin cannot send them itself. */
export function developerRequestRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const rate = createRate(pool, 'developer-requests', REQUESTS_A_MINUTE * deps.config.rateFactor, 60)
  on(sendDeveloperRequest).serve(async ({ params, principal, body }) => {
    const { anchor } = await requireMember(db, principal.userId, params.anchorId)
    await rate.demand(principal.userId)
    return passOn(anchor, body)
  })
}

/**
 * Sends the request as anyone outside could: nothing of the platform's own credentials goes with it, and the header that
 * the proxy sets keeps the anchor from taking it for one of the platform.
 */
async function passOn(
  { api_url: apiUrl, home_domain: homeDomain, status }: AnchorRow,
  { method, path, key, body }: BodyOf<typeof sendDeveloperRequest>,
): Promise<DeveloperAnswer> {
  if (status !== 'active' || !apiUrl) throw unavailable(`The anchor (${status})`)
  const startedAt = performance.now()
  const response = await fetch(apiUrl + publicPath(path), {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: 'application/json',
      'x-forwarded-host': homeDomain,
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  }).catch((error: unknown) => {
    throw unavailable('The anchor', error)
  })
  const { bytes, cut } = await firstBytes(response).catch((error: unknown) => {
    throw unavailable('The anchor', error)
  })
  const isText = bytes.length === 0 || TEXT.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: Object.fromEntries(
      SHOWN_HEADERS.flatMap(name => {
        const value = response.headers.get(name)
        return value === null ? [] : [[name, value]]
      }),
    ),
    body: isText ? bytes.toString('utf8') : null,
    cut,
    durationMs: Math.round(performance.now() - startedAt),
  }
}

/** The path without steps upwards. Throws `validation-failed` where it leads out of the anchor's API. */
function publicPath(path: string): string {
  const address = URL.parse(path, 'http://anchor.invalid')
  if (address?.host !== 'anchor.invalid' || !address.pathname.startsWith('/api/v1/')) {
    throw invalid('path', 'must lead below /api/v1/')
  }
  return address.pathname + address.search
}

async function firstBytes(response: Response): Promise<{ bytes: Buffer; cut: boolean }> {
  const parts: Uint8Array[] = []
  let length = 0
  // Leaving the loop ends the request.
  for await (const part of response.body ?? []) {
    parts.push(part as Uint8Array)
    length += part.length
    if (length > MAX_BYTES) break
  }
  return { bytes: Buffer.concat(parts).subarray(0, MAX_BYTES), cut: length > MAX_BYTES }
}
