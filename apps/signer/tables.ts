import type { SigningLimits, SigningTerms } from '@windlass/contracts/internal/signer.ts'
import type { ColumnType, Generated } from 'kysely'
import { fileURLToPath } from 'node:url'

export const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))

/** The tables of the signer by the slice that owns them. */
export interface Tables {
  // anchors
  anchors: AnchorsTable
  // keys
  keys: KeysTable
  // signing
  payments: PaymentsTable
  stopped: StoppedTable
  funding: FundingTable
}

type Json<T> = ColumnType<T | null, string | null | undefined, string | null>
type Time = ColumnType<Date, Date | undefined, Date>

/** What is written of an anchor's terms: the credentials have columns of their own. */
export type StoredSigningTerms = Omit<SigningTerms, 'credentials'>

interface AnchorsTable {
  id: string
  terms: Json<StoredSigningTerms>
  limits: Json<SigningLimits>
  sep_credential: ColumnType<string | null, string | null | undefined, string | null>
  business_credential: ColumnType<string | null, string | null | undefined, string | null>
  created_at: Time
}

export type KeyRole = 'issuer' | 'distribution' | 'signing'
export type BackendName = 'local' | 'vault' | 'aws-kms'

interface KeysTable {
  anchor_id: string
  role: KeyRole
  public_key: string
  backend: BackendName
  reference: string
  created_at: Time
}

interface PaymentsTable {
  anchor_id: string
  /** The account whose sequence number it uses. */
  source: Generated<string>
  sequence: string
  /** In stroops. */
  fee: Generated<string>
  claimable: Generated<boolean>
  /** Amount of the anchor's first asset, in stroops. */
  amount: string
  /** Amounts of its further assets, in stroops. */
  further: ColumnType<Record<string, string>, string | undefined, string>
  /** In stroops. */
  xlm: string
  signed_at: Time
}

interface FundingTable {
  account: string
  sequence: string
  anchor_id: string
  /** In stroops, with the fee. */
  xlm: string
  signed_at: Time
}

export type ServerName = 'sep' | 'business'

interface StoppedTable {
  anchor_id: string
  server: ServerName
  reason: string
  hour: Date
  detail: string
  count: Generated<number>
  first_at: Time
  last_at: Time
}
