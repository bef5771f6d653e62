import { amountText } from '../ledger/amounts.ts'
import { assetFields } from '../ledger/assets.ts'
import {
  AccountFlag,
  isPoolId,
  LineFlag,
  type Account,
  type Signer,
  type TrustLine,
} from '../ledger/entries.ts'
import { bytes, text } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { accountOf, trustLineOf } from '../store/entry-rows.ts'
import { accountLinks } from './links.ts'
import type { Page } from './paging.ts'
import { modifiedTime } from './times.ts'

const columns = 'a.*, l.closed_at'
const source = 'accounts a LEFT JOIN ledgers l ON l.sequence = a.modified'

export function accountById(database: Database, id: string): Row | undefined {
  return database.row(`SELECT ${columns} FROM ${source} WHERE a.id = ?`, id)
}

export type AccountFilter =
  | { readonly asset: string }
  | { readonly signer: string }
  | { readonly sponsor: string }
  | { readonly pool: string }

/** Accounts that hold a line or shares, that a key may sign for, or that have something sponsored, by id. */
export function accountRows(database: Database, by: AccountFilter, { cursor, order, limit }: Page): Row[] {
  const [table, condition, value] = filterOf(by)
  const after = cursor === '' ? '1 = 1 OR f.account = ?' : order === 'asc' ? 'f.account > ?' : 'f.account < ?'
  return database.rows(
    `SELECT ${columns} FROM ${table} f JOIN ${source.replace('accounts a', 'accounts a ON a.id = f.account')}
     WHERE ${condition} AND (${after}) ORDER BY f.account ${order} LIMIT ?`,
    value,
    cursor,
    limit,
  )
}

const sponsoredAccounts = `(SELECT id AS account, sponsor FROM accounts UNION SELECT account, sponsor FROM signers
  UNION SELECT account, sponsor FROM data UNION SELECT account, sponsor FROM trustlines)`

function filterOf(by: AccountFilter): readonly [table: string, condition: string, value: string] {
  if ('asset' in by) return ['trustlines', 'f.asset = ?', by.asset]
  if ('pool' in by) return ['trustlines', 'f.asset = ?', by.pool]
  if ('sponsor' in by) return [sponsoredAccounts, 'f.sponsor = ?', by.sponsor]
  return ['signers', 'f.signer = ?', by.signer]
}

export function dataValue(database: Database, account: string, name: string): string | undefined {
  const row = database.row('SELECT value FROM data WHERE account = ? AND name = ?', account, name)
  return row && Buffer.from(bytes(row['value'])).toString('base64')
}

/** Horizon's resource of an account. */
export function accountRecord(database: Database, row: Row, base: string) {
  const account = accountOf(row)
  const { id, thresholds, flags } = account
  return {
    _links: accountLinks(base, id),
    id,
    account_id: id,
    sequence: account.sequence.toString(),
    ...(account.sequenceLedger > 0 && {
      sequence_ledger: account.sequenceLedger,
      sequence_time: account.sequenceTime.toString(),
    }),
    subentry_count: account.subentries,
    ...(account.inflationDestination && { inflation_destination: account.inflationDestination }),
    ...(account.homeDomain && { home_domain: account.homeDomain }),
    last_modified_ledger: account.modified,
    last_modified_time: modifiedTime(row['closed_at']),
    thresholds: {
      low_threshold: thresholds.low,
      med_threshold: thresholds.medium,
      high_threshold: thresholds.high,
    },
    flags: accountFlags(flags),
    balances: [...creditBalances(database, id), nativeBalance(account)],
    signers: signerRecords(account),
    data: dataRecord(database, id),
    num_sponsoring: account.sponsoring,
    num_sponsored: account.sponsored,
    ...(account.sponsor && { sponsor: account.sponsor }),
    paging_token: id,
  }
}

export function accountFlags(flags: number) {
  return {
    auth_required: (flags & AccountFlag.required) !== 0,
    auth_revocable: (flags & AccountFlag.revocable) !== 0,
    auth_immutable: (flags & AccountFlag.immutable) !== 0,
    auth_clawback_enabled: (flags & AccountFlag.clawback) !== 0,
  }
}

function nativeBalance(account: Account) {
  return {
    balance: amountText(account.balance),
    buying_liabilities: amountText(account.buying),
    selling_liabilities: amountText(account.selling),
    asset_type: 'native',
  }
}

function creditBalances(database: Database, account: string) {
  return database
    .rows(`SELECT * FROM trustlines WHERE account = ? ORDER BY instr(asset, ':') = 0, asset`, account)
    .map(row => creditBalance(trustLineOf(row)))
}

function creditBalance(line: TrustLine) {
  const shares = isPoolId(line.asset)
  return {
    balance: amountText(line.balance),
    limit: amountText(line.limit),
    ...(!shares && {
      buying_liabilities: amountText(line.buying),
      selling_liabilities: amountText(line.selling),
    }),
    ...(line.sponsor && { sponsor: line.sponsor }),
    last_modified_ledger: line.modified,
    is_authorized: shares || (line.flags & LineFlag.authorized) !== 0,
    is_authorized_to_maintain_liabilities: shares || (line.flags & LineFlag.authorization) !== 0,
    ...((line.flags & LineFlag.clawback) !== 0 && { is_clawback_enabled: true }),
    ...assetFields(line.asset),
  }
}

const signerTypes: Record<string, string> = {
  G: 'ed25519_public_key',
  T: 'preauth_tx',
  X: 'sha256_hash',
  P: 'ed25519_signed_payload',
}

function signerRecords({ id, signers, thresholds }: Account) {
  const record = ({ key, weight, sponsor }: Signer) => ({
    weight,
    key,
    type: signerTypes[key.charAt(0)],
    ...(sponsor && { sponsor }),
  })
  const all: Signer[] = [...signers, { key: id, weight: thresholds.master }]
  return all.sort((a, b) => (a.key < b.key ? -1 : 1)).map(record)
}

function dataRecord(database: Database, account: string): Record<string, string> {
  return Object.fromEntries(
    database
      .rows('SELECT name, value FROM data WHERE account = ? ORDER BY name', account)
      .map(row => [text(row['name']), Buffer.from(bytes(row['value'])).toString('base64')]),
  )
}
