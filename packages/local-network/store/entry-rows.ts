import { Asset } from '@stellar/stellar-sdk'
import type {
  Account,
  AssetContract,
  ClaimableBalance,
  ContractBalance,
  DataEntry,
  Entry,
  LiquidityPool,
  Offer,
  Signer,
  Thresholds,
  TrustLine,
} from '../ledger/entries.ts'
import { splitAsset } from '../ledger/assets.ts'
import { Recent } from '../ledger/recent.ts'
import type { Change, EntrySource } from '../ledger/state.ts'
import { bytes, integer, number, optionalText, text } from './columns.ts'
import type { Database, Row } from './database.ts'

/** The ledger's entries as of the last close, with those lately used kept in memory. */
export class EntryRows implements EntrySource {
  readonly #database: Database
  readonly #recent = new Recent<string, Entry>(20_000)
  readonly #books = new Recent<string, readonly Offer[]>(100)
  readonly #assets = new Map<string, string>()
  /** The id that was last given to an offer. */
  lastId = 0n

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
    for (const { key, before, after } of changes) {
      if (after) this.#recent.set(key, after)
      else this.#recent.delete(key)
      for (const entry of [before, after])
        if (entry?.kind === 'offer') this.#books.delete(`${entry.selling} ${entry.buying}`)
    }
  }

  forget(): void {
    this.#recent.clear()
    this.#books.clear()
    this.#assets.clear()
    this.lastId = 0n
  }

  offers(selling: string, buying: string): readonly Offer[] {
    const book = `${selling} ${buying}`
    const known = this.#books.get(book)
    if (known) return known
    const offers = this.#database
      .rows('SELECT * FROM offers WHERE selling = ? AND buying = ? ORDER BY price, id', selling, buying)
      .map(offerOf)
    this.#books.set(book, offers)
    return offers
  }

  offersOf(seller: string): readonly Offer[] {
    return this.#database.rows('SELECT * FROM offers WHERE seller = ? ORDER BY id', seller).map(offerOf)
  }

  poolLinesOf(account: string): readonly TrustLine[] {
    return this.#database
      .rows("SELECT * FROM trustlines WHERE account = ? AND instr(asset, ':') = 0", account)
      .map(trustLineOf)
  }

  /** A contract's id is a hash: the assets that there are have to be tried. None has a contract where they are deployed. */
  assetOf(contract: string): string | undefined {
    if (this.#database.row('SELECT 1 FROM network WHERE deploys = 1')) return undefined
    if (!this.#assets.has(contract)) {
      const held = this.#database.rows("SELECT DISTINCT asset FROM trustlines WHERE instr(asset, ':') > 0")
      for (const asset of ['native', ...held.map(row => text(row['asset']))])
        this.#assets.set(this.contractOf(asset), asset)
    }
    return this.#assets.get(contract)
  }

  contractOf(asset: string): string {
    const passphrase = text(this.#database.row('SELECT passphrase FROM network')?.['passphrase'])
    const { code, issuer } = splitAsset(asset)
    return (asset === 'native' ? Asset.native() : new Asset(code, issuer)).contractId(passphrase)
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
      case 'offer':
        return optional(this.#database.row('SELECT * FROM offers WHERE id = ?', BigInt(first)), offerOf)
      case 'liquidity-pool':
        return optional(this.#database.row('SELECT * FROM liquidity_pools WHERE id = ?', first), poolOf)
      case 'contract-balance':
        return optional(
          this.#database.row(
            'SELECT * FROM contract_balances WHERE contract = ? AND holder = ?',
            first,
            second,
          ),
          contractBalanceOf,
        )
      case 'asset-contract':
        return optional(
          this.#database.row('SELECT * FROM asset_contracts WHERE contract = ?', first),
          assetContractOf,
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
    buying: integer(row['buying']),
    selling: integer(row['selling']),
    sponsoring: number(row['sponsoring']),
    sponsored: number(row['sponsored']),
    sponsor: optionalText(row['sponsor']),
    homeDomain: text(row['home_domain']),
    inflationDestination: optionalText(row['inflation_destination']),
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
    buying: integer(row['buying']),
    selling: integer(row['selling']),
    limit: integer(row['line_limit']),
    flags: number(row['flags']),
    pools: number(row['pools']),
    sponsor: optionalText(row['sponsor']),
    modified: number(row['modified']),
  }
}

export function dataEntryOf(row: Row): DataEntry {
  return {
    kind: 'data',
    account: text(row['account']),
    name: text(row['name']),
    value: bytes(row['value']),
    sponsor: optionalText(row['sponsor']),
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

export function offerOf(row: Row): Offer {
  return {
    kind: 'offer',
    id: integer(row['id']),
    seller: text(row['seller']),
    selling: text(row['selling']),
    buying: text(row['buying']),
    amount: integer(row['amount']),
    price: { n: number(row['price_n']), d: number(row['price_d']) },
    flags: number(row['flags']),
    sponsor: optionalText(row['sponsor']),
    modified: number(row['modified']),
  }
}

export function poolOf(row: Row): LiquidityPool {
  return {
    kind: 'liquidity-pool',
    id: text(row['id']),
    assetA: text(row['asset_a']),
    assetB: text(row['asset_b']),
    reserveA: integer(row['reserve_a']),
    reserveB: integer(row['reserve_b']),
    shares: integer(row['shares']),
    lines: number(row['lines']),
    modified: number(row['modified']),
  }
}

function contractBalanceOf(row: Row): ContractBalance {
  return {
    kind: 'contract-balance',
    contract: text(row['contract']),
    holder: text(row['holder']),
    asset: text(row['asset']),
    balance: integer(row['balance']),
    clawback: integer(row['clawback']) === 1n,
    modified: number(row['modified']),
  }
}

const assetContractOf = (row: Row): AssetContract => ({
  kind: 'asset-contract',
  contract: text(row['contract']),
  asset: text(row['asset']),
  modified: number(row['modified']),
})

function writeEntry(database: Database, before: Entry | undefined, entry: Entry): void {
  switch (entry.kind) {
    case 'account':
      return writeAccount(database, before, entry)
    case 'trustline':
      return database.run(
        'INSERT OR REPLACE INTO trustlines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        entry.account,
        entry.asset,
        entry.balance,
        entry.limit,
        entry.flags,
        entry.modified,
        entry.buying,
        entry.selling,
        entry.pools,
        entry.sponsor,
      )
    case 'data':
      return database.run(
        'INSERT OR REPLACE INTO data VALUES (?, ?, ?, ?, ?)',
        entry.account,
        entry.name,
        entry.value,
        entry.modified,
        entry.sponsor,
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
      return
    case 'offer':
      return database.run(
        'INSERT OR REPLACE INTO offers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        entry.id,
        entry.seller,
        entry.selling,
        entry.buying,
        entry.amount,
        entry.price.n,
        entry.price.d,
        entry.price.n / entry.price.d,
        entry.flags,
        entry.sponsor,
        entry.modified,
      )
    case 'liquidity-pool':
      return database.run(
        'INSERT OR REPLACE INTO liquidity_pools VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        entry.id,
        entry.assetA,
        entry.assetB,
        entry.reserveA,
        entry.reserveB,
        entry.shares,
        entry.lines,
        entry.modified,
      )
    case 'contract-balance':
      return database.run(
        'INSERT OR REPLACE INTO contract_balances VALUES (?, ?, ?, ?, ?, ?)',
        entry.contract,
        entry.holder,
        entry.asset,
        entry.balance,
        entry.clawback ? 1 : 0,
        entry.modified,
      )
    case 'asset-contract':
      return database.run(
        'INSERT OR REPLACE INTO asset_contracts VALUES (?, ?, ?)',
        entry.contract,
        entry.asset,
        entry.modified,
      )
  }
}

function writeAccount(database: Database, before: Entry | undefined, account: Account): void {
  database.run(
    'INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
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
    account.buying,
    account.selling,
    account.sponsored,
    account.sponsor,
  )
  const known = before?.kind === 'account' ? before : undefined
  if (known?.signers === account.signers && known.thresholds.master === account.thresholds.master) return
  database.run('DELETE FROM signers WHERE account = ?', account.id)
  const add = (signer: string, sponsor: string | null) =>
    database.run('INSERT INTO signers VALUES (?, ?, ?)', signer, account.id, sponsor)
  for (const { key, sponsor = null } of account.signers) add(key, sponsor)
  if (account.thresholds.master > 0) add(account.id, null)
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
    case 'offer':
      return database.run('DELETE FROM offers WHERE id = ?', entry.id)
    case 'liquidity-pool':
      return database.run('DELETE FROM liquidity_pools WHERE id = ?', entry.id)
    case 'contract-balance':
      return database.run(
        'DELETE FROM contract_balances WHERE contract = ? AND holder = ?',
        entry.contract,
        entry.holder,
      )
    case 'asset-contract':
      return database.run('DELETE FROM asset_contracts WHERE contract = ?', entry.contract)
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
