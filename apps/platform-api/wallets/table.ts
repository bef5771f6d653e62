import type { Generated } from 'kysely'

export interface WalletsTable {
  id: string
  customer_id: string
  address: string
  label: string
  network: string
  verified_at: Date | null
  proven_at_anchor: Generated<string | null>
  created_at: Date
}

export interface LoginProofsTable {
  transaction_hash: Buffer
  wallet_id: string | null
  anchor_id: string
  used_at: Date
}

export interface WalletChallengesTable {
  wallet_id: string
  transaction_hash: Buffer
  expires_at: Date
}
