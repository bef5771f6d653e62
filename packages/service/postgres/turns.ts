import type pg from 'pg'

/** All connections are in use, and too many wait for one already, or this caller has waited for as long as anyone would. */
export class TooManyWaiting extends Error {
  constructor() {
    super('too many wait for a connection to the database')
  }
}

const MOST_WAITING = 1_000
/** Less than a request may take. */
const WAIT_MS = 15_000

interface Waiting {
  start(): void
  fail(error: unknown): void
}

/**
 * Gives the connections of a pool out in turn. The pool's own queue ends the wait of everyone after the time in which a new
 * connection must be open, and is not bounded: a burst of requests to a pool of a few connections would fail.
 */
export function takeTurns(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  const waiting = new Set<Waiting>()
  let taken = 0
  const giveBack = (): void => {
    taken = Math.max(0, taken - 1)
    const [first] = waiting
    if (!first) return
    waiting.delete(first)
    taken += 1
    first.start()
  }
  const connected = async (): Promise<pg.PoolClient> => {
    try {
      return await connect()
    } catch (error) {
      // Nothing of the database is left: who waits would fail later.
      if (pool.totalCount === 0) {
        for (const each of waiting) each.fail(error)
        waiting.clear()
      }
      giveBack()
      throw error
    }
  }
  const inTurn = async (): Promise<pg.PoolClient> => {
    if (taken < pool.options.max) {
      taken += 1
      return connected()
    }
    if (waiting.size >= MOST_WAITING) throw new TooManyWaiting()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const one = { start: resolve, fail: reject }
    waiting.add(one)
    const timer = setTimeout(() => {
      if (waiting.delete(one)) reject(new TooManyWaiting())
    }, WAIT_MS).unref()
    await promise.finally(() => clearTimeout(timer))
    return connected()
  }
  pool.on('release', giveBack)
  const kind: object = Object.getPrototypeOf(pool) as object
  Reflect.defineProperty(pool, 'waitingCount', {
    // Those who have their turn and not their connection count as before.
    get: () => waiting.size + Number(Reflect.get(kind, 'waitingCount', pool)),
  })
  Reflect.set(pool, 'connect', (callback?: Connected) => {
    const client = inTurn()
    if (!callback) return client
    client.then(
      found => callback(undefined, found, found.release.bind(found)),
      (error: unknown) => callback(error),
    )
  })
}

type Connected = (error: unknown, client?: pg.PoolClient, release?: pg.PoolClient['release']) => void
