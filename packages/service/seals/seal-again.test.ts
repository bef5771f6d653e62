import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase, sharedMigrations } from '../postgres/database.ts'
import { ConfigError } from '../process/env.ts'
import { createLogger } from '../observe/logger.ts'
import { enqueue, sealedMessages, startOutbox } from '../work/outbox.ts'
import { sealAgain, sealedColumn } from './seal-again.ts'
import { createSealer } from './seal.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]
const both = new Map([
  [2, newer],
  [1, older],
])
let test: TestDatabase
let database: Database<never>

beforeEach(async () => {
  test = await testDatabase(sharedMigrations)
  database = openDatabase(test.url, { name: 'test' })
  const sealer = createSealer(new Map([[1, older]]))
  for (const key of ['a', 'b']) await enqueue(database.db, 'mail', key, { to: key }, sealer)
  await enqueue(database.db, 'mail', 'plain', { to: 'plain' })
})
afterEach(async () => {
  await database.close()
  await test.drop()
})
const again = (keys: Map<number, Buffer>) => sealAgain(database.pool, 'A_KEY', keys, [sealedMessages])

it('lets an older key be removed once what it encrypted is encrypted again', async () => {
  expect(await again(both)).toBe(2)
  expect(await again(new Map([[2, newer]]))).toBe(0)
  const received: unknown[] = []
  const outbox = startOutbox({
    database,
    logger: createLogger('test', 'silent'),
    sealer: createSealer(new Map([[2, newer]])),
    deliver: { mail: async ({ payload }) => void received.push(payload) },
  })
  await expect.poll(() => received).toHaveLength(3)
  await outbox.stop()
  expect(received).toEqual(expect.arrayContaining([{ to: 'a' }, { to: 'b' }, { to: 'plain' }]))
})

it('names a key that is missing, and changes nothing then', async () => {
  const sealed = async () => (await database.pool.query('select sealed from outbox order by id')).rows
  const before = await sealed()
  await expect(again(new Map([[2, newer]]))).rejects.toThrow(ConfigError)
  await expect(again(new Map([[2, newer]]))).rejects.toThrow('A_KEY lacks v1, which 2 rows of outbox need')
  expect(await sealed()).toEqual(before)
})

it('may be done by several processes at once', async () => {
  await Promise.all([again(both), again(both), again(both)])
  expect(await again(new Map([[2, newer]]))).toBe(0)
})

/** A table of notes; a note that is moved is bound to its new place, as a name that outlives its customer. */
describe('beside those who write, move and remove values', () => {
  const notes = sealedColumn({
    ...{ table: 'notes', column: 'sealed', key: ['id', 'place'] },
    contextOf: ({ id, place }) => `${id}:${place}`,
    plain: { columns: { plain: 'null' }, textOf: ({ plain }) => plain ?? '' },
  })
  const [old, newest] = [createSealer(new Map([[1, older]])), createSealer(new Map([[2, newer]]))]
  const states = ['older', 'newest', 'plain', 'empty'] as const
  const acts = ['write', 'move', 'erase', 'delete'] as const
  const sql = (text: string, values: unknown[] = []) => database.pool.query(text, values)

  async function insert(id: number, state: (typeof states)[number]): Promise<void> {
    const sealer = state === 'older' ? old : newest
    const sealed = state === 'older' || state === 'newest' ? sealer.seal(`text ${id}`, `${id}:home`) : null
    const plain = state === 'plain' ? `text ${id}` : null
    await sql('insert into notes values ($1, $2, $3, $4)', [id, 'home', sealed, plain])
  }

  async function act(id: number, what: (typeof acts)[number], texts: Map<number, string | null>) {
    if (!texts.has(id)) return
    if (what === 'delete') {
      await sql('delete from notes where id = $1', [id])
      return void texts.delete(id)
    }
    const text = { write: `rewritten ${id}`, move: texts.get(id) ?? null, erase: null }[what]
    const sealed = text === null ? null : newest.seal(text, `${id}:${what === 'move' ? 'away' : 'home'}`)
    const place = what === 'move' ? 'away' : 'home'
    await sql('update notes set sealed = $2, place = $3, plain = null where id = $1', [id, sealed, place])
    texts.set(id, text)
  }

  it('leaves nothing that cannot be opened, and brings nothing back', async () => {
    await sql(
      'create table notes (id integer, place text, sealed bytea, plain text, primary key (id, place))',
    )
    const scheduled = fc.record({ at: fc.nat(8), id: fc.nat(2), what: fc.constantFrom(...acts) })
    const history = fc.tuple(
      fc.array(fc.constantFrom(...states), { minLength: 1, maxLength: 3 }),
      fc.array(scheduled, { minLength: 1, maxLength: 6 }),
    )
    await fc.assert(
      fc.asyncProperty(history, async ([rows, others]) => {
        await sql('delete from notes')
        for (const [id, state] of rows.entries()) await insert(id, state)
        const texts = new Map(rows.map((state, id) => [id, state === 'empty' ? null : `text ${id}`]))
        let queries = 0
        const query = async (text: string, values: unknown[]) => {
          const at = queries++
          for (const other of others.filter(each => each.at === at)) await act(other.id, other.what, texts)
          return sql(text, values)
        }
        await sealAgain({ query } as unknown as typeof database.pool, 'A_KEY', both, [notes])
        const left = await sql('select id, place, sealed, plain from notes order by id')
        const read = left.rows.map(({ id, place, sealed }) => [
          id,
          sealed && newest.open(sealed, `${id}:${place}`),
        ])
        expect(new Map(read as [number, string | null][])).toEqual(texts)
        expect(left.rows.filter(({ plain }) => plain !== null)).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  it('continues after a value that cannot be opened, and says which column has it', async () => {
    await sql(
      'create table notes (id integer, place text, sealed bytea, plain text, primary key (id, place))',
    )
    const ids = Array.from({ length: 1_100 }, (_, id) => id)
    await sql('insert into notes select unnest($1::int[]), $2, unnest($3::bytea[])', [
      ids,
      'home',
      ids.map(id => old.seal('text', id === 3 ? 'elsewhere' : `${id}:home`)),
    ])
    await expect(sealAgain(database.pool, 'A_KEY', both, [notes])).rejects.toThrow(
      'a value of notes.sealed is not encrypted again',
    )
    expect((await sql('select id from notes where get_byte(sealed, 0) = 1')).rows).toEqual([{ id: 3 }])
  })

  it('reads base64 of a column of text where its condition holds only', async () => {
    await sql('create table keys (name text primary key, store text, reference text)')
    const sealed = old.seal('a seed', 'local')
    await sql("insert into keys values ('local', 'here', $1), ('vault', 'there', 'not base64!')", [
      sealed.toString('base64'),
    ])
    const column = sealedColumn({
      ...{ table: 'keys', column: 'reference', key: ['name'], base64Where: "store = 'here'" },
      contextOf: ({ name }) => name,
    })
    expect(await sealAgain(database.pool, 'A_KEY', both, [column])).toBe(1)
    const { rows } = await sql('select reference from keys order by name')
    expect(newest.open(Buffer.from(rows[0]?.reference as string, 'base64'), 'local')).toBe('a seed')
    expect(rows[1]).toEqual({ reference: 'not base64!' })
  })
})
