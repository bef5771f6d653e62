import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { healthOf, isLive } from './servers.ts'

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const requests: string[] = []
/** Something that the anchor's server must not choose for the control plane to call. */
const inside = createServer(({ url = '' }, response) => {
  requests.push(url)
  response.end('{"status":"ok"}')
})
const server = createServer((_, response) =>
  response.writeHead(302, { location: `${addressOf(inside)}/inside` }).end(),
)
let database: Database<Tables>
let deps: Deps
let drop: () => Promise<void>

beforeAll(async () => {
  const test = await testDatabase(sharedMigrations, migrations)
  database = openDatabase<Tables>(test.url, { name: 'health test', max: 2 })
  drop = test.drop
  for (const each of [inside, server]) await once(each.listen(0, '127.0.0.1'), 'listening')
  await database.pool.query(
    `insert into anchors (id, plan, data_key, slot, sep_port, business_port) values ('a', '{}', '', 'a', 1, 2)`,
  )
  deps = { database, runtime: { address: () => addressOf(server) } } as unknown as Deps
})
afterAll(async () => {
  await database.close()
  await drop()
  for (const each of [inside, server]) each.close()
})

describe('a server that answers its health check with a redirect', () => {
  it('is not healthy, and chooses nothing that the control plane calls', async () => {
    expect(await healthOf(deps, 'a', 'sep')).toBe('failing')
    expect(await isLive(deps, 'a', 'sep')).toBe(true)
    expect(requests).toEqual([])
  })
})
