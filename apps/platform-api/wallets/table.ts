export interface WalletsTable {
  id: string
  customer_id: string
  address: string
  label: string
  network: string
  verified_at: Date | null
  created_at: Date
}

export interface WalletChallengesTable {
  wallet_id: string
  transaction_hash: Buffer
  expires_at: Date
}
