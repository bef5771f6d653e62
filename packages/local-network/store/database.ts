import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'

/** An import of what an older Node lacks would end without saying what is needed. */
function openSqlite(file: string): DatabaseSync {
  const sqlite = process.getBuiltinModule?.('node:sqlite')
  if (!sqlite)
    throw new Error(`@windlass/local-network needs Node 22.13 or later; this is ${process.version}.`)
  return new sqlite.DatabaseSync(file)
}

export type Row = Record<string, SQLOutputValue>

/** What each version of the schema added. An older data folder is brought forward; a newer one is refused. */
const versions = [
  `
CREATE TABLE network (id INTEGER PRIMARY KEY CHECK (id = 1), passphrase TEXT NOT NULL) STRICT;

CREATE TABLE ledgers (
  sequence INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  previous_hash BLOB NOT NULL,
  closed_at INTEGER NOT NULL,
  successful INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  set_operations INTEGER NOT NULL,
  fee_pool INTEGER NOT NULL,
  header BLOB NOT NULL
) STRICT;

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  balance INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  subentries INTEGER NOT NULL,
  sponsoring INTEGER NOT NULL,
  home_domain TEXT NOT NULL,
  inflation_destination TEXT,
  flags INTEGER NOT NULL,
  thresholds INTEGER NOT NULL,
  signers TEXT NOT NULL,
  sequence_ledger INTEGER NOT NULL,
  sequence_time INTEGER NOT NULL,
  modified INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE signers (
  signer TEXT NOT NULL,
  account TEXT NOT NULL,
  PRIMARY KEY (signer, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE trustlines (
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  balance INTEGER NOT NULL,
  line_limit INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  PRIMARY KEY (account, asset)
) STRICT, WITHOUT ROWID;
CREATE INDEX trustlines_by_asset ON trustlines (asset, account);

CREATE TABLE data (
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  modified INTEGER NOT NULL,
  PRIMARY KEY (account, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE claimable_balances (
  id TEXT PRIMARY KEY,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL,
  claimants TEXT NOT NULL,
  clawback INTEGER NOT NULL,
  sponsor TEXT NOT NULL,
  modified INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claimable_balances_by_asset ON claimable_balances (asset);
CREATE INDEX claimable_balances_by_sponsor ON claimable_balances (sponsor);
CREATE INDEX claimable_balances_by_age ON claimable_balances (modified, id);

CREATE TABLE claimants (
  account TEXT NOT NULL,
  balance TEXT NOT NULL,
  PRIMARY KEY (account, balance)
) STRICT, WITHOUT ROWID;

CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  inner_hash BLOB,
  ledger INTEGER NOT NULL,
  successful INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  fee_charged INTEGER NOT NULL,
  fee_bid INTEGER NOT NULL,
  envelope BLOB NOT NULL,
  result BLOB NOT NULL,
  meta BLOB NOT NULL,
  fee_meta BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX transactions_by_hash ON transactions (hash);
CREATE INDEX transactions_by_inner_hash ON transactions (inner_hash) WHERE inner_hash IS NOT NULL;

CREATE TABLE operations (
  id INTEGER PRIMARY KEY,
  transaction_id INTEGER NOT NULL,
  successful INTEGER NOT NULL,
  moves INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;

CREATE TABLE transaction_accounts (
  account TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation_accounts (
  account TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation_balances (
  balance TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (balance, id)
) STRICT, WITHOUT ROWID;
`,
  `
ALTER TABLE accounts ADD COLUMN buying INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN selling INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN sponsored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN sponsor TEXT;
ALTER TABLE signers ADD COLUMN sponsor TEXT;
ALTER TABLE trustlines ADD COLUMN buying INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trustlines ADD COLUMN selling INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trustlines ADD COLUMN pools INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trustlines ADD COLUMN sponsor TEXT;
ALTER TABLE data ADD COLUMN sponsor TEXT;

CREATE TABLE offers (
  id INTEGER PRIMARY KEY,
  seller TEXT NOT NULL,
  selling TEXT NOT NULL,
  buying TEXT NOT NULL,
  amount INTEGER NOT NULL,
  price_n INTEGER NOT NULL,
  price_d INTEGER NOT NULL,
  price REAL NOT NULL,
  flags INTEGER NOT NULL,
  sponsor TEXT,
  modified INTEGER NOT NULL
) STRICT;
CREATE INDEX offers_by_pair ON offers (selling, buying, price, id);
CREATE INDEX offers_by_seller ON offers (seller, id);
CREATE INDEX offers_by_sponsor ON offers (sponsor, id) WHERE sponsor IS NOT NULL;

CREATE TABLE liquidity_pools (
  id TEXT PRIMARY KEY,
  asset_a TEXT NOT NULL,
  asset_b TEXT NOT NULL,
  reserve_a INTEGER NOT NULL,
  reserve_b INTEGER NOT NULL,
  shares INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  modified INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE traded_assets (id INTEGER PRIMARY KEY, asset TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE trades (
  id INTEGER NOT NULL,
  place INTEGER NOT NULL,
  closed_at INTEGER NOT NULL,
  base_account TEXT,
  base_offer INTEGER,
  base_pool TEXT,
  base_asset TEXT NOT NULL,
  base_amount INTEGER NOT NULL,
  counter_account TEXT,
  counter_offer INTEGER,
  counter_pool TEXT,
  counter_asset TEXT NOT NULL,
  counter_amount INTEGER NOT NULL,
  base_is_seller INTEGER NOT NULL,
  price_n INTEGER NOT NULL,
  price_d INTEGER NOT NULL,
  PRIMARY KEY (id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX trades_by_pair ON trades (base_asset, counter_asset, id, place);
CREATE INDEX trades_by_base_account ON trades (base_account, id, place);
CREATE INDEX trades_by_counter_account ON trades (counter_account, id, place);

CREATE TABLE effect_accounts (
  account TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation_pools (
  pool TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (pool, id)
) STRICT, WITHOUT ROWID;
`,
  `
CREATE TABLE contract_balances (
  contract TEXT NOT NULL,
  holder TEXT NOT NULL,
  asset TEXT NOT NULL,
  balance INTEGER NOT NULL,
  clawback INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  PRIMARY KEY (contract, holder)
) STRICT, WITHOUT ROWID;
CREATE INDEX contract_balances_by_asset ON contract_balances (asset);
ALTER TABLE transactions ADD COLUMN resource_fee INTEGER NOT NULL DEFAULT 0;
`,
  `
CREATE TABLE asset_contracts (
  contract TEXT PRIMARY KEY,
  asset TEXT NOT NULL,
  modified INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE network ADD COLUMN deploys INTEGER NOT NULL DEFAULT 0;
`,
]

/** What takes away again what a version of the schema added: programs before it insert rows without those columns. */
const undone: Readonly<Record<number, string>> = {
  4: 'DROP TABLE asset_contracts; ALTER TABLE network DROP COLUMN deploys;',
  3: 'DROP TABLE contract_balances; ALTER TABLE transactions DROP COLUMN resource_fee;',
}

/** The version of the schema that 0.1.0 knows. */
export const FIRST_RELEASE = 2

/** A data folder that this process cannot use: in use, damaged, of another version, or of another network. */
export class UnusableStore extends Error {}

class StoreInUse extends UnusableStore {}

/** SQLite with its statements prepared once. Integers come back as bigint. */
export class Database {
  readonly #sqlite: DatabaseSync
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  readonly #onClose: () => void

  constructor(sqlite: DatabaseSync, onClose: () => void = () => undefined) {
    this.#sqlite = sqlite
    this.#onClose = onClose
  }

  row(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values)
  }

  rows(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values)
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepared(sql).run(...values)
  }

  /** All or nothing; with `durable`, it is on the disk when this returns, whatever happens to the machine. */
  transaction(durable: boolean, act: () => void): void {
    this.#sqlite.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}; BEGIN IMMEDIATE`)
    try {
      act()
      this.#sqlite.exec('COMMIT')
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK')
      throw error
    }
  }

  /** Empties every table. */
  clear(): void {
    const tables = this.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    this.transaction(true, () => {
      for (const { name } of tables) this.#sqlite.exec(`DELETE FROM ${name}`)
    })
  }

  /** Writes all rows to a file of their own. */
  writeTo(file: string): void {
    this.#sqlite.prepare('VACUUM INTO ?').run(file)
  }

  /** Has the rows of a file that `writeTo` has written, and no others. */
  readFrom(file: string): void {
    const tables = this.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    this.#sqlite.prepare('ATTACH ? AS source').run(file)
    try {
      this.transaction(true, () => {
        for (const { name } of tables)
          this.#sqlite.exec(`DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM source.${name}`)
      })
    } finally {
      this.#sqlite.exec('DETACH source')
    }
  }

  /** Another database with the same rows, in a temporary folder that its closing removes. */
  copy(): Database {
    const folder = mkdtempSync(join(tmpdir(), 'local-network-'))
    const file = join(folder, 'ledger.sqlite')
    this.writeTo(file)
    const sqlite = openSqlite(file)
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF')
    return new Database(sqlite, () => rmSync(folder, { recursive: true, force: true }))
  }

  /** Has the tables and columns of an earlier version of the schema alone. */
  lowerTo(version: number): void {
    for (let last = versions.length; last > version; last--)
      this.#sqlite.exec(`BEGIN IMMEDIATE; ${undone[last] ?? ''} PRAGMA user_version = ${last - 1}; COMMIT`)
  }

  close(): void {
    this.#statements.clear()
    this.#sqlite.close()
    this.#onClose()
  }

  #prepared(sql: string): ReturnType<DatabaseSync['prepare']> {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#sqlite.prepare(sql)
    statement.setReadBigInts(true)
    this.#statements.set(sql, statement)
    return statement
  }
}

/**
 * Opens the store of a data folder, or one in memory (`:memory:`), and makes its tables when it is new.
 * @throws UnusableStore
 */
export function openDatabase(folder: string): Database {
  if (folder !== ':memory:') mkdirSync(folder, { recursive: true })
  const sqlite = openSqlite(folder === ':memory:' ? folder : join(folder, 'ledger.sqlite'))
  try {
    // One process owns the ledger: what it holds in memory must not change under it. The system keeps pages, too: a cache of
    // 64 MB was full after some ten thousand payments, and no faster.
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA cache_size = -16384')
    const version = Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
    if (version > versions.length)
      throw new UnusableStore(`${folder} was written by a newer version: start once with --reset`)
    for (const [index, changes] of versions.entries())
      if (index >= version)
        sqlite.exec(`BEGIN IMMEDIATE; ${changes} PRAGMA user_version = ${index + 1}; COMMIT`)
    return new Database(sqlite)
  } catch (error) {
    sqlite.close()
    if (error instanceof Error && /locked/.test(error.message))
      throw new StoreInUse(`another local network is running on ${folder}`, { cause: error })
    if (error instanceof Error && /not a database|malformed/.test(error.message))
      throw new UnusableStore(`the ledger in ${folder} is damaged: start once with --reset`, { cause: error })
    throw error
  }
}

/**
 * Leaves the ledger of a data folder to an earlier release, which refuses a newer version. What contracts hold is lost.
 * @throws UnusableStore
 * @throws StoreInUse
 */
export function leaveTo(version: number, folder: string): void {
  const database = openDatabase(folder)
  try {
    database.lowerTo(version)
  } finally {
    database.close()
  }
}

/**
 * Deletes everything a data folder holds, readable or not.
 * @throws UnusableStore when another process has it open
 */
export function eraseDatabase(folder: string): void {
  if (folder === ':memory:') return
  try {
    openDatabase(folder).close()
  } catch (error) {
    if (error instanceof StoreInUse) throw error
  }
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    rmSync(join(folder, `ledger.sqlite${suffix}`), { force: true })
}
