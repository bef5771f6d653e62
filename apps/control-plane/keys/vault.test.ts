import { openDatabase, sharedMigrations, type Database } from '@windlass/service/database.ts'
import { createSealer } from '@windlass/service/seal.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations, type Tables } from '../database.ts'
import { openVault, randomSecret, sealNewDataKey } from './vault.ts'

const keyring = () => new Map([[1, randomBytes(32)]])
const master = createSealer(keyring())
let database: Database<Tables>
let drop: () => Promise<void>
const dataKeys = new Map<string, Buffer>()
beforeAll(async () => {
  const made = await testDatabase(sharedMigrations, migrations)
  drop = made.drop
  database = openDatabase<Tables>(made.url, { name: 'vaults' })
  for (const id of ['one', 'two']) {
    const data_key = sealNewDataKey(master, id)
    dataKeys.set(id, data_key)
    const row = { id, plan: '{}', data_key, sep_port: null, business_port: null }
    await database.db.insertInto('anchors').values(row).execute()
  }
})
afterAll(async () => {
  await database.close()
  await drop()
})

const vaultOf = (id: string) => openVault(master, id, dataKeys.get(id) ?? Buffer.from(''))

it('a secret is made once and is the same ever after, however many ask at once', async () => {
  const vault = vaultOf('one')
  const made = await Promise.all(
    Array.from({ length: 10 }, () => vault.ensure(database.db, 'service', randomSecret)),
  )
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(1)
  expect(await vaultOf('one').get(database.db, 'service')).toEqual(made[0])
})

it('what is stored says nothing and opens for its own anchor and role alone', async () => {
  const { secret } = await vaultOf('one').ensure(database.db, 'link', randomSecret)
  const { rows } = await database.pool.query<{ sealed: Buffer }>(
    `select sealed from anchor_secrets where role = 'link'`,
  )
  const sealed = rows[0]?.sealed ?? Buffer.from('')
  expect(sealed.includes(secret)).toBe(false)
  for (const [anchor, role] of [
    ['one', 'summary'],
    ['two', 'link'],
  ] as const) {
    const row = { anchor_id: anchor, role, sealed, public_key: null }
    await database.db.insertInto('anchor_secrets').values(row).execute()
    await expect(vaultOf(anchor).get(database.db, role)).rejects.toThrow()
  }
})

it('a vault opens neither under another master key nor with another anchor’s data key', () => {
  const [one, two] = [dataKeys.get('one') ?? Buffer.from(''), dataKeys.get('two') ?? Buffer.from('')]
  expect(() => openVault(createSealer(keyring()), 'one', one)).toThrow()
  expect(() => openVault(master, 'one', two)).toThrow()
})

it('a new master key in front opens what the old one sealed', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const sealed = sealNewDataKey(createSealer(new Map([[1, older]])), 'one')
  const rotated = createSealer(
    new Map([
      [2, newer],
      [1, older],
    ]),
  )
  expect(() => openVault(rotated, 'one', sealed)).not.toThrow()
})
