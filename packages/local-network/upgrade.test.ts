import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FIRST_RELEASE, leaveTo, openDatabase, UnusableStore } from './store/database.ts'
import { Laboratory } from './testing/laboratory.ts'
import { Market, sell } from './testing/market.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-network-upgrade-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the later versions of the schema added, taken away again. */
const toFirstVersion = `
  DROP TABLE offers; DROP TABLE liquidity_pools; DROP TABLE trades; DROP TABLE traded_assets;
  DROP TABLE operation_pools; DROP TABLE effect_accounts;
  ALTER TABLE accounts DROP COLUMN buying; ALTER TABLE accounts DROP COLUMN selling;
  ALTER TABLE accounts DROP COLUMN sponsored; ALTER TABLE accounts DROP COLUMN sponsor;
  ALTER TABLE signers DROP COLUMN sponsor; ALTER TABLE data DROP COLUMN sponsor;
  ALTER TABLE trustlines DROP COLUMN buying; ALTER TABLE trustlines DROP COLUMN selling;
  ALTER TABLE trustlines DROP COLUMN pools; ALTER TABLE trustlines DROP COLUMN sponsor;
  PRAGMA user_version = 1`

it('a ledger of the first version continues, with offers', async () => {
  const dataFolder = join(folder, 'old')
  const before = await Laboratory.open({ dataFolder })
  const maker: Keypair = await before.funded()
  await before.close()
  leaveTo(FIRST_RELEASE, dataFolder)
  const sqlite = new DatabaseSync(join(dataFolder, 'ledger.sqlite'))
  sqlite.exec(toFirstVersion)
  sqlite.close()

  const after = await Laboratory.open({ dataFolder })
  expect(await after.nativeBalance(maker.publicKey())).toBe('10000.0000000')
  const market = await Market.open(after)
  await market.succeed(market.issuer, sell(market.eur, market.inr, '5', '2'))
  expect(await market.offersOf(market.issuer)).toHaveLength(1)
  await after.close()
})

it('a ledger that is left to 0.1.0 has its tables and columns alone, keeps its accounts, and comes forward again', async () => {
  const dataFolder = join(folder, 'left')
  const before = await Laboratory.open({ dataFolder })
  const someone = await before.funded()
  await before.close()
  leaveTo(FIRST_RELEASE, dataFolder)
  const sqlite = new DatabaseSync(join(dataFolder, 'ledger.sqlite'))
  const columns = (table: string) => sqlite.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
  expect(sqlite.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 })
  // 0.1.0 inserts this many values.
  expect(columns('transactions')).toHaveLength(12)
  expect(columns('network')).toHaveLength(2)
  expect([...columns('contract_balances'), ...columns('asset_contracts')]).toEqual([])
  sqlite.close()
  const after = await Laboratory.open({ dataFolder })
  expect(await after.nativeBalance(someone.publicKey())).toBe('10000.0000000')
  await after.close()
})

it('a ledger of a version to come is refused', () => {
  const newer = join(folder, 'newer')
  openDatabase(newer).close()
  const sqlite = new DatabaseSync(join(newer, 'ledger.sqlite'))
  sqlite.exec('PRAGMA user_version = 99')
  sqlite.close()
  expect(() => openDatabase(newer)).toThrow(UnusableStore)
})
