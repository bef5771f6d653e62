import { freePort } from '@windlass/testing/free-ports.ts'
import { connect, createServer } from 'node:net'
import { pino } from 'pino'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { databaseAtStart } from './database-at-start.ts'
import { openDatabase, pingDatabase, type Database } from './database.ts'

const lines: { msg: string }[] = []
const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
const closing: (() => unknown)[] = []

function open(change: (url: URL) => void): Database<never> {
  const url = new URL(inject('postgresUrl'))
  change(url)
  const database = openDatabase<never>(url.href, { name: 'at start' })
  closing.push(() => database.close())
  return database
}

/** Where Postgres is to be reached from now on. */
function answerAt(port: number): void {
  const { hostname: host, port: real } = new URL(inject('postgresUrl'))
  const way = createServer(client => {
    const server = connect(Number(real), host)
    const end = () => void [client.destroy(), server.destroy()]
    for (const each of [client, server]) each.on('error', end).on('close', end)
    client.pipe(server).pipe(client)
  }).listen(port, host)
  closing.push(() => way.close())
}

describe('a service that starts', () => {
  afterEach(async () => {
    lines.length = 0
    for (const close of closing.splice(0)) await close()
  })

  it('waits while its database cannot be reached, and says so once', async () => {
    const port = await freePort()
    const database = open(url => (url.port = String(port)))
    const starting = databaseAtStart(logger, () => pingDatabase(database))
    await expect.poll(() => lines.map(({ msg }) => msg)).toEqual(['the start waits for the database'])
    answerAt(port)
    await starting
    expect(lines.map(({ msg }) => msg).slice(1)).toEqual(['over: the start waits for the database'])
  })

  it('gives up after the time it has', async () => {
    const port = await freePort()
    const database = open(url => (url.port = String(port)))
    const starting = databaseAtStart(logger, () => pingDatabase(database), 100)
    await expect(starting).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('does not wait for what only a person can change', async () => {
    const database = open(url => (url.pathname = '/nowhere'))
    await expect(databaseAtStart(logger, () => pingDatabase(database))).rejects.toMatchObject({
      code: '3D000',
    })
    expect(lines).toEqual([])
  })
})
