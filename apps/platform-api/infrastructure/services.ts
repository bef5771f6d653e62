import { type Client, ProblemError, createClient } from '@windlass/client/client.ts'
import { type ProblemCode, problems } from '@windlass/contracts/problems.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'

const TIMEOUT_MS = 10_000

/** A client of one of the platform's own services. For others: `maxBytes`, the longest answer that is read. */
export function createServiceClient(
  baseUrl: string,
  serviceSecret: string,
  {
    maxBytes,
    send = fetch,
  }: { maxBytes?: number; send?(url: string, init: RequestInit): Promise<Response> } = {},
): Client {
  return createClient({
    baseUrl,
    ...(maxBytes === undefined ? {} : { maxBytes }),
    headers: { 'x-service-secret': serviceSecret },
    fetch: (url, init) =>
      send(url, { ...init, signal: init.signal ?? AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' }),
  })
}

/**
 * Waits for a service's answer. Its problems about the request (400, 404, 409, 410, 422) are passed on unchanged;
 * every other failure, timeouts included, is `dependency-unavailable`.
 */
export function passProblems(name: string): <T>(answer: Promise<T>) => Promise<T> {
  return async answer => {
    try {
      return await answer
    } catch (error) {
      throw refusalOf(error) ?? unavailable(name, error)
    }
  }
}

function refusalOf(error: unknown): Problem | null {
  if (!(error instanceof ProblemError) || ![400, 404, 409, 410, 422].includes(error.status)) return null
  const { code, detail, errors } = error.problem
  if (!(code in problems) || code === 'not-found') return null
  return new Problem(code as ProblemCode, detail, errors ? { errors } : {})
}
