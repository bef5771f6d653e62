import { createLogger } from '@windlass/service/observe/logger.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BatchWriter, type BatchWriterOptions } from './batch-writer.ts'

interface Note {
  n: number
  stale?: boolean
}

/** A database that answers when the test lets it. */
class Database {
  written: Note[][] = []
  ids: string[] = []
  #answers: PromiseWithResolvers<void>[] = []

  write = async (items: readonly Note[], batchId: string): Promise<void> => {
    const copy = items.map(item => ({ ...item }))
    this.ids.push(batchId)
    const answer = Promise.withResolvers<void>()
    this.#answers.push(answer)
    await answer.promise
    this.written.push(copy)
  }

  get asked(): number {
    return this.#answers.length
  }

  async answer(error?: Error): Promise<void> {
    const waiting = this.#answers.shift()
    if (!waiting) throw new Error('nothing is being written')
    if (error) waiting.reject(error)
    else waiting.resolve()
    await vi.advanceTimersByTimeAsync(0)
  }
}

const gone = new Error('connection refused')
const refused = Object.assign(new Error('no partition'), { code: '23514' })
let database: Database
let ids: number

beforeEach(() => {
  vi.useFakeTimers()
  database = new Database()
  ids = 0
})
afterEach(() => void vi.useRealTimers())

const writer = (options: Partial<BatchWriterOptions<Note>> = {}) =>
  new BatchWriter<Note>({
    what: 'notes',
    write: database.write,
    newBatchId: () => `batch${(ids += 1)}`,
    everyMs: 0,
    size: 3,
    waiting: 100,
    logger: createLogger('test', 'silent'),
    ...options,
  })

/** What a promise has come to so far. */
function outcomeOf(promise: Promise<boolean>): { now: boolean | 'waits' } {
  const outcome: { now: boolean | 'waits' } = { now: 'waits' }
  void promise.then(result => (outcome.now = result))
  return outcome
}

const soon = () => vi.advanceTimersByTimeAsync(0)

describe('a batch writer', () => {
  it('tells that an item is written once it is, and writes together what came meanwhile', async () => {
    const notes = writer()
    const first = outcomeOf(notes.add({ n: 1 }))
    await soon()
    const others = [2, 3].map(n => outcomeOf(notes.add({ n })))
    await soon()
    expect([first.now, database.asked]).toEqual(['waits', 1])
    await database.answer()
    expect([first.now, others[0]?.now, database.asked]).toEqual([true, 'waits', 1])
    await database.answer()
    expect(others.map(({ now }) => now)).toEqual([true, true])
    expect(database.written).toEqual([[{ n: 1 }], [{ n: 2 }, { n: 3 }]])
    expect([...notes.pending()]).toEqual([])
  })

  it('waits before it writes where it is asked to', async () => {
    const notes = writer({ everyMs: 250 })
    void notes.add({ n: 1 })
    await vi.advanceTimersByTimeAsync(249)
    expect(database.asked).toBe(0)
    void notes.add({ n: 2 })
    await vi.advanceTimersByTimeAsync(1)
    await database.answer()
    expect(database.written).toEqual([[{ n: 1 }, { n: 2 }]])
  })

  it('tells where items come faster than they are written', async () => {
    const notes = writer({ everyMs: 250 })
    for (let n = 1; n <= 6; n += 1) void notes.add({ n })
    await vi.advanceTimersByTimeAsync(250)
    expect(notes.isBehind).toBe(false)
    void notes.add({ n: 7 })
    expect(notes.isBehind).toBe(true)
    await database.answer()
    expect(notes.isBehind).toBe(false)
  })

  it('lets nobody wait while the database is away, and writes in order when it is back', async () => {
    const notes = writer()
    const first = outcomeOf(notes.add({ n: 1 }))
    await soon()
    const second = outcomeOf(notes.add({ n: 2 }))
    await database.answer(gone)
    expect([first.now, second.now]).toEqual([false, false])
    const third = outcomeOf(notes.add({ n: 3 }))
    await soon()
    expect(third.now).toBe(false)
    expect([...notes.pending()].map(({ n }) => n)).toEqual([1, 2, 3])
    await vi.advanceTimersByTimeAsync(1_000)
    await database.answer()
    const fourth = outcomeOf(notes.add({ n: 4 }))
    await database.answer()
    await database.answer()
    expect(fourth.now).toBe(true)
    expect(database.written).toEqual([[{ n: 1 }], [{ n: 2 }, { n: 3 }], [{ n: 4 }]])
    expect(database.ids).toEqual(['batch1', 'batch1', 'batch2', 'batch3'])
  })

  it('gives up after its patience, and writes later items again', async () => {
    const notes = writer({ patienceMs: 1_000 })
    const note: Note = { n: 1, stale: false }
    const outcome = outcomeOf(notes.add(note))
    await vi.advanceTimersByTimeAsync(999)
    expect(outcome.now).toBe('waits')
    await vi.advanceTimersByTimeAsync(1)
    expect(outcome.now).toBe(false)
    note.stale = true
    await database.answer()
    await database.answer()
    expect(database.written).toEqual([[{ n: 1, stale: false }], [{ n: 1, stale: true }]])
    expect([...notes.pending()]).toEqual([])
  })

  it('loses an item that can never be written, and none of those beside it', async () => {
    const written: number[] = []
    const notes = writer({
      size: 10,
      write: async items => {
        if (items.some(({ n }) => n === 4 || n === 7)) throw refused
        written.push(...items.map(({ n }) => n))
      },
    })
    const outcomes = Array.from({ length: 12 }, (_, n) => outcomeOf(notes.add({ n })))
    await soon()
    await notes.flush()
    expect(written).toEqual([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])
    // Those beside it know that they may be written later.
    expect(outcomes.map(({ now }) => now)).toEqual([...Array<boolean>(10).fill(false), true, true])
    expect([...notes.pending()]).toEqual([])
  })

  it('drops the oldest where too much waits', async () => {
    const notes = writer({ size: 1, waiting: 10, weight: ({ n }) => n })
    void notes.add({ n: 1 })
    await soon()
    await database.answer(gone)
    for (const n of [2, 3, 4, 5]) void notes.add({ n })
    expect([...notes.pending()].map(({ n }) => n)).toEqual([4, 5])
  })

  it('writes everything exactly once in the order it came, whatever fails and when', async () => {
    const steps = fc.array(fc.constantFrom('add', 'answer', 'fail', 'pass'), { maxLength: 80 })
    await fc.assert(
      fc.asyncProperty(steps, async moves => {
        database = new Database()
        const notes = writer({ waiting: Infinity })
        const outcomes: ReturnType<typeof outcomeOf>[] = []
        for (const move of moves) {
          if (move === 'add') outcomes.push(outcomeOf(notes.add({ n: outcomes.length })))
          else if (move === 'pass') await vi.advanceTimersByTimeAsync(400)
          else if (database.asked > 0) await database.answer(move === 'fail' ? gone : undefined)
        }
        for (let n = 0; n < 200 && [...notes.pending()].length > 0; n += 1) {
          await vi.advanceTimersByTimeAsync(1_000)
          if (database.asked > 0) await database.answer()
        }
        expect(database.written.flat().map(({ n }) => n)).toEqual(outcomes.map((_, n) => n))
        expect(outcomes.map(({ now }) => now)).not.toContain('waits')
      }),
      { numRuns: 200 },
    )
  })
})
