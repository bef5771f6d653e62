import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { expect, it } from 'vitest'
import { startRehearsalDatabase } from './rehearsal-database.ts'

it('answers with no rows, and ends who says what is no message: anyone of the machine may connect to a spare of root', async () => {
  const database = await startRehearsalDatabase()
  const { port, hostname } = new URL(database.url)
  try {
    for (const length of [-1, 3, 2 ** 30]) {
      const stranger = connect(Number(port), hostname).on('error', () => undefined)
      const message = Buffer.alloc(4)
      message.writeInt32BE(length)
      stranger.resume().write(message)
      await once(stranger, 'close')
    }
    const client = new pg.Client(database.url)
    await client.connect()
    expect((await client.query('select $1::int', [1])).rows).toEqual([])
    await client.end()
  } finally {
    database.close()
  }
})
