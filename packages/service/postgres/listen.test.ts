import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { notify, openDatabase } from './database.ts'
import { listen, type Heard } from './listen.ts'
import { createLogger } from '../observe/logger.ts'

const logger = createLogger('test', 'silent')

it('hears notifications, only after commit, and again after its connection was killed', async () => {
  const channel = `c-${randomUUID()}`
  const { db, close } = openDatabase<never>(inject('postgresUrl'), { name: 'test' })
  const received: Heard[] = []
  const listening = listen(inject('postgresUrl'), [channel], one => received.push(one), logger)
  await expect.poll(() => received).toEqual([null])
  await db
    .transaction()
    .execute(async tx => {
      await notify(tx, channel, 'never')
      throw new Error('rolled back')
    })
    .catch(() => undefined)
  await db.transaction().execute(async tx => {
    await notify(tx, channel, 'committed')
    await sql`select pg_sleep(0.05)`.execute(tx)
    expect(received).toHaveLength(1)
  })
  await expect.poll(() => received).toEqual([null, { channel, payload: 'committed' }])

  const killed = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'listen' and query like ${`%${channel}%`}`.execute(db)
  expect(killed.rows).toHaveLength(1)
  await expect.poll(() => received.length).toBe(3)
  expect(received[2]).toBeNull()
  await notify(db, channel, 'again')
  await expect.poll(() => received.at(-1)).toEqual({ channel, payload: 'again' })

  await listening.stop()
  const left = await sql`select 1 from pg_stat_activity
    where application_name = 'listen' and query like ${`%${channel}%`}`.execute(db)
  expect(left.rows).toEqual([])
  await close()
})

it('keeps trying where there is no database yet, and stops when told', async () => {
  const received: Heard[] = []
  const listening = listen('postgres://nobody@127.0.0.1:18598/x', ['c'], one => received.push(one), logger)
  await listening.stop()
  expect(received).toEqual([])
})
