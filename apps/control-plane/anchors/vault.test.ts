import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations, type Tables } from '../tables.ts'
import { openVault, randomSecret, sealedDataKeys, sealNewDataKey } from './vault.ts'

const keyring = () => new Map([[1, randomBytes(32)]])
const masterKey = keyring()
const master = createSealer(masterKey)
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

it('what is read at once answers without the database, and finds what was created since', async () => {
  const vault = vaultOf('two')
  const { secret } = await vault.ensure(database.db, 'service', randomSecret)
  const reading = await vault.readAll(database.db)
  const created = await vault.ensure(database.db, 'summary', randomSecret)
  expect(await reading.get(database.db, 'summary')).toEqual(created)
  expect(await reading.find(database.db, 'test_wallet')).toBeNull()
  const nowhere = openDatabase<Tables>('postgres://127.0.0.1:1/none', { name: 'nowhere' })
  expect((await reading.get(nowhere.db, 'service')).secret).toBe(secret)
  await nowhere.close()
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

it('after a rotation of the master key the old one is not needed any more', async () => {
  const { secret } = await vaultOf('one').ensure(database.db, 'sep_jwt', randomSecret)
  const newer = randomBytes(32)
  const again = (keys: Map<number, Buffer>) => sealAgain(database.pool, 'MASTER_KEY', keys, [sealedDataKeys])
  await expect(again(new Map([[2, newer]]))).rejects.toThrow(
    'MASTER_KEY lacks v1, which 2 rows of anchors need',
  )
  expect(await again(new Map([[2, newer], ...masterKey]))).toBe(2)
  expect(await again(new Map([[2, newer]]))).toBe(0)
  const row = await database.db
    .selectFrom('anchors')
    .select('data_key')
    .where('id', '=', 'one')
    .executeTakeFirst()
  const vault = openVault(createSealer(new Map([[2, newer]])), 'one', row?.data_key ?? Buffer.from(''))
  expect((await vault.get(database.db, 'sep_jwt')).secret).toBe(secret)
})
