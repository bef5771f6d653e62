import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { TooManyWaiting } from '../postgres/turns.ts'
import { Answer } from './answer.ts'
import { Problem } from './problem.ts'

/** Runs an act once per `Idempotency-Key`, endpoint and principal, for 24 hours. */
export interface Idempotency {
  once(
    endpoint: Endpoint,
    request: FastifyRequest,
    act: () => Promise<Answer<unknown>>,
  ): Promise<Answer<unknown>>
}

interface Kept {
  body_hash: Buffer
  status: number | null
  answer: unknown
}

const PRUNE_EVERY_MS = 3_600_000

/**
 * Answers are kept in `idempotency_keys`. A refused request (the act throws) frees the key; a crash, or a database
 * that is gone once the act is done, leaves it in flight, because nobody can tell whether the act happened: the
 * caller looks before trying a new key.
 */
export function createIdempotency(pool: pg.Pool): Idempotency {
  let pruned = -Infinity
  const prune = (): void => {
    if (performance.now() - pruned < PRUNE_EVERY_MS) return
    pruned = performance.now()
    pruneIdempotency(pool).catch(() => (pruned = -Infinity))
  }
  return {
    async once(endpoint, request, act) {
      const key = request.headers['idempotency-key']
      if (typeof key !== 'string' || key === '') return act()
      if (key.length > 255)
        throw new Problem('validation-failed', 'Idempotency-Key must be at most 255 characters.')
      const id = [`${endpoint.method} ${endpoint.path}`, principalKey(request), key]
      const hash = requestHash(request)
      prune()
      const kept = await claim(pool, id, hash)
      if (kept) return repeat(kept, hash, endpoint)
      return run(pool, id, endpoint, request, act)
    },
  }
}

/** Removes the answers of 24 hours ago and earlier. */
export async function pruneIdempotency(pool: pg.Pool): Promise<void> {
  await pool.query("delete from idempotency_keys where started_at < now() - interval '24 hours'")
}

async function claim(pool: pg.Pool, id: string[], hash: Buffer): Promise<Kept | null> {
  const [endpoint, principal, key] = id
  const claimed = await pool.query(
    `insert into idempotency_keys (endpoint, principal, key, body_hash) values ($1, $2, $3, $4)
     on conflict (endpoint, principal, key) do update
       set body_hash = excluded.body_hash, started_at = now(), status = null, answer = null
       where idempotency_keys.started_at < now() - interval '24 hours'
     returning 1`,
    [endpoint, principal, key, hash],
  )
  if (claimed.rowCount === 1) return null
  const { rows } = await pool.query<Kept>(
    'select body_hash, status, answer from idempotency_keys where endpoint = $1 and principal = $2 and key = $3',
    [endpoint, principal, key],
  )
  // A refusal freed it between the two statements: treated as in flight, so that the caller tries again.
  return rows[0] ?? { body_hash: hash, status: null, answer: null }
}

function repeat(kept: Kept, hash: Buffer, endpoint: Endpoint): Answer<unknown> {
  if (!kept.body_hash.equals(hash)) {
    throw new Problem('idempotency-key-reused', 'Use a new Idempotency-Key for a request with another body.')
  }
  if (kept.status === null) {
    throw new Problem(
      'idempotency-key-in-flight',
      'The first request has not finished. Look for its result before trying again.',
      { headers: { 'retry-after': '1' } },
    )
  }
  if (endpoint.idempotent === 'secret') {
    throw new Problem(
      'idempotency-key-secret',
      'The first request succeeded. Its response contained a secret that is not stored.',
    )
  }
  return new Answer(kept.status, kept.answer, { headers: { 'idempotency-replayed': 'true' } })
}

async function run(
  pool: pg.Pool,
  id: string[],
  endpoint: Endpoint,
  request: FastifyRequest,
  act: () => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  let result: Answer<unknown>
  try {
    result = await act()
  } catch (error) {
    await free(pool, id)
    throw error
  }
  try {
    const body = endpoint.idempotent === 'secret' ? null : JSON.stringify(result.body)
    await pool.query(
      'update idempotency_keys set status = $4, answer = $5 where endpoint = $1 and principal = $2 and key = $3',
      [...id, result.status, body],
    )
  } catch (error) {
    // The act is done: its answer is sent, and a caller that repeats it gets `in flight`.
    request.log.warn({ err: error }, 'an answer could not be kept for its Idempotency-Key')
  }
  return result
}

const FREE_TRIES = 10
const FREE_AGAIN_MS = 3_000

/** The full queue that refused an act refuses this, too: it is tried again later, so that the caller can repeat the request. */
async function free(pool: pg.Pool, id: string[], tries = FREE_TRIES): Promise<void> {
  try {
    await pool.query(
      'delete from idempotency_keys where endpoint = $1 and principal = $2 and key = $3 and status is null',
      id,
    )
  } catch (error) {
    if (!(error instanceof TooManyWaiting) || tries === 1) return
    setTimeout(() => void free(pool, id, tries - 1), FREE_AGAIN_MS).unref()
  }
}

/** Hashes everything that tells a repeat from another request. */
export function requestHash(request: FastifyRequest): Buffer {
  const hash = createHash('sha256').update(
    JSON.stringify([request.params, request.query, request.body ?? {}]),
  )
  if (request.rawBytes) hash.update(request.rawBytes)
  return hash.digest()
}

/** The caller, the same after signing in again. */
function principalKey(request: FastifyRequest): string {
  if (!request.principal) return `address:${request.clientAddress}`
  const { sessionId: _session, tokenId: _token, ...who } = request.principal as Record<string, unknown>
  return JSON.stringify(who)
}
