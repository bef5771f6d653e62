import type {
  Account,
  ClaimableBalance,
  DataEntry,
  Entry,
  Signer,
  Thresholds,
  TrustLine,
} from '../ledger/entries.ts'

import { Recent } from '../ledger/recent.ts'
import type { Change, EntrySource } from '../ledger/state.ts'
import { bytes, integer, number, text } from './columns.ts'
import type { Database, Row } from './database.ts'

/** The ledger's entries as of the last close, with those lately used kept in memory. */
export class EntryRows implements EntrySource {
  readonly #database: Database
  readonly #recent = new Recent<string, Entry>(20_000)

  constructor(database: Database) {
    this.#database = database
  }

  find(key: string): Entry | undefined {
    const known = this.#recent.get(key)
    if (known) return known
    const entry = this.#read(key)
    if (entry) this.#recent.set(key, entry)
    return entry
  }

  /** Inside the transaction that closes a ledger. */
  write(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      if (after) writeEntry(this.#database, before, after)
      else if (before) deleteEntry(this.#database, before)
    }
  }

  /** After that transaction has held. */
  remember(changes: readonly Change[]): void {
    for (const { key, after } of changes) {
      if (after) this.#recent.set(key, after)
      else this.#recent.delete(key)
    }
  }

  forget(): void {
    this.#recent.clear()
  }

  #read(key: string): Entry | undefined {
    const [kind, first = '', second = ''] = splitKey(key)
    switch (kind) {
      case 'account':
        return optional(this.#database.row('SELECT * FROM accounts WHERE id = ?', first), accountOf)
      case 'trustline':
        return optional(
          this.#database.row('SELECT * FROM trustlines WHERE account = ? AND asset = ?', first, second),
          trustLineOf,
        )
      case 'data':
        return optional(
          this.#database.row('SELECT * FROM data WHERE account = ? AND name = ?', first, second),
          dataEntryOf,
        )
      case 'claimable-balance':
        return optional(
          this.#database.row('SELECT * FROM claimable_balances WHERE id = ?', first),
          claimableBalanceOf,
        )
      default:
        return undefined
    }
  }
}

/** A data entry's name may itself hold spaces. */
function splitKey(key: string): string[] {
  const [kind = '', first = ''] = key.split(' ', 2)
  return [kind, first, key.slice(kind.length + first.length + 2)]
}

function optional<T>(row: Row | undefined, read: (row: Row) => T): T | undefined {
  return row && read(row)
}

export function accountOf(row: Row): Account {
  return {
    kind: 'account',
    id: text(row['id']),
    balance: integer(row['balance']),
    sequence: integer(row['sequence']),
    subentries: number(row['subentries']),
    sponsoring: number(row['sponsoring']),
    homeDomain: text(row['home_domain']),
    inflationDestination: row['inflation_destination'] === null ? null : text(row['inflation_destination']),
    flags: number(row['flags']),
    thresholds: unpackThresholds(number(row['thresholds'])),
    signers: readSigners(text(row['signers'])),
    sequenceLedger: number(row['sequence_ledger']),
    sequenceTime: integer(row['sequence_time']),
    modified: number(row['modified']),
  }
}

export function trustLineOf(row: Row): TrustLine {
  return {
    kind: 'trustline',
    account: text(row['account']),
    asset: text(row['asset']),
    balance: integer(row['balance']),
    limit: integer(row['line_limit']),
    flags: number(row['flags']),
    modified: number(row['modified']),
  }
}

function dataEntryOf(row: Row): DataEntry {
  return {
    kind: 'data',
    account: text(row['account']),
    name: text(row['name']),
    value: bytes(row['value']),
    modified: number(row['modified']),
  }
}

export function claimableBalanceOf(row: Row): ClaimableBalance {
  const claimants: ClaimableBalance['claimants'] = JSON.parse(text(row['claimants']))
  return {
    kind: 'claimable-balance',
    id: text(row['id']),
    asset: text(row['asset']),
    amount: integer(row['amount']),
    claimants,
    clawbackEnabled: integer(row['clawback']) === 1n,
    sponsor: text(row['sponsor']),
    modified: number(row['modified']),
  }
}

function writeEntry(database: Database, before: Entry | undefined, entry: Entry): void {
  switch (entry.kind) {
    case 'account':
      return writeAccount(database, before, entry)
    case 'trustline':
      return database.run(
        'INSERT OR REPLACE INTO trustlines VALUES (?, ?, ?, ?, ?, ?)',
        entry.account,
        entry.asset,
        entry.balance,
        entry.limit,
        entry.flags,
        entry.modified,
      )
    case 'data':
      return database.run(
        'INSERT OR REPLACE INTO data VALUES (?, ?, ?, ?)',
        entry.account,
        entry.name,
        entry.value,
        entry.modified,
      )
    case 'claimable-balance':
      database.run(
        'INSERT OR REPLACE INTO claimable_balances VALUES (?, ?, ?, ?, ?, ?, ?)',
        entry.id,
        entry.asset,
        entry.amount,
        JSON.stringify(entry.claimants),
        entry.clawbackEnabled ? 1 : 0,
        entry.sponsor,
        entry.modified,
      )
      for (const { destination } of entry.claimants)
        database.run('INSERT OR REPLACE INTO claimants VALUES (?, ?)', destination, entry.id)
  }
}

function writeAccount(database: Database, before: Entry | undefined, account: Account): void {
  database.run(
    'INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    account.id,
    account.balance,
    account.sequence,
    account.subentries,
    account.sponsoring,
    account.homeDomain,
    account.inflationDestination,
    account.flags,
    packThresholds(account.thresholds),
    account.signers.length === 0 ? '[]' : JSON.stringify(account.signers),
    account.sequenceLedger,
    account.sequenceTime,
    account.modified,
  )
  const known = before?.kind === 'account' ? before : undefined
  if (known?.signers === account.signers && known.thresholds.master === account.thresholds.master) return
  database.run('DELETE FROM signers WHERE account = ?', account.id)
  for (const { key } of account.signers) database.run('INSERT INTO signers VALUES (?, ?)', key, account.id)
  if (account.thresholds.master > 0) database.run('INSERT INTO signers VALUES (?, ?)', account.id, account.id)
}

function deleteEntry(database: Database, entry: Entry): void {
  switch (entry.kind) {
    case 'account':
      database.run('DELETE FROM signers WHERE account = ?', entry.id)
      return database.run('DELETE FROM accounts WHERE id = ?', entry.id)
    case 'trustline':
      return database.run(
        'DELETE FROM trustlines WHERE account = ? AND asset = ?',
        entry.account,
        entry.asset,
      )
    case 'data':
      return database.run('DELETE FROM data WHERE account = ? AND name = ?', entry.account, entry.name)
    case 'claimable-balance':
      for (const { destination } of entry.claimants)
        database.run('DELETE FROM claimants WHERE account = ? AND balance = ?', destination, entry.id)
      return database.run('DELETE FROM claimable_balances WHERE id = ?', entry.id)
  }
}

function readSigners(json: string): readonly Signer[] {
  return json === '[]' ? none : JSON.parse(json)
}
const none: readonly Signer[] = []

const packThresholds = ({ master, low, medium, high }: Thresholds) =>
  Buffer.of(master, low, medium, high).readUInt32BE()

function unpackThresholds(packed: number): Thresholds {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(packed)
  return {
    master: bytes.readUInt8(0),
    low: bytes.readUInt8(1),
    medium: bytes.readUInt8(2),
    high: bytes.readUInt8(3),
  }
}
