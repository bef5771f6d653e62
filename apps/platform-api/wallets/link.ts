import type { Wallet } from '@windlass/contracts/platform/customers.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import { isStellarAccount } from '@windlass/stellar/addresses.ts'
import type { Selectable } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'
import type { WalletsTable } from '../customer-tables.ts'
import { mailAboutWallet } from './mail.ts'
import { asWallet, findWallet, isProvenByAnother, walletsOf } from './wallets.ts'

export async function listLinked(deps: Deps, customerId: string): Promise<Wallet[]> {
  return (await walletsOf(deps.database.db, customerId)).map(asWallet)
}

/** Throws `wallet-taken` for an address another customer has proven, `wallet-already-linked` for one's own. */
export async function link(
  deps: Deps,
  customerId: string,
  typed: { address: string; label?: string; network?: string },
): Promise<Wallet> {
  const address = readAddress(typed.address)
  return deps.database.db.transaction().execute(async tx => {
    const linked = await linkIn(deps, tx, customerId, { ...typed, address, anchorId: null })
    if (linked) return asWallet(linked)
    throw new Problem(
      'wallet-already-linked',
      'This address is already linked to your account on this network.',
    )
  })
}

interface Linking {
  address: string
  label?: string
  network?: string
  /** Where the customer signed in with it; null: in the portal. */
  anchorId: string | null
}

/**
 * Links an address to the customer, who is emailed; null where it is linked. Throws `wallet-taken` for an address that
 * another customer has proven.
 */
export async function linkIn(
  deps: Deps,
  tx: PlatformDb,
  customerId: string,
  { address, label, network, anchorId }: Linking,
): Promise<Selectable<WalletsTable> | null> {
  if (await isProvenByAnother(tx, address, customerId)) throw takenByAnother()
  const now = deps.clock.now()
  const row = await tx
    .insertInto('wallets')
    .values({
      id: newId('wal'),
      customer_id: customerId,
      address,
      label: label?.trim() ?? '',
      network: readNetwork(network, networkOf(deps)),
      verified_at: null,
      created_at: now,
    })
    .onConflict(conflict => conflict.columns(['customer_id', 'address', 'network']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) return null
  await mailAboutWallet(deps, tx, 'linked', { customerId, account: address, memo: null }, anchorId)
  const details = { address, network: row.network, ...(anchorId === null ? {} : { anchorId }) }
  const subject = `wallet:${row.id}`
  await record(tx, { actor: `customer:${customerId}`, action: 'wallet.linked', subject, details }, now)
  return row
}

/** The name of our network. */
export const networkOf = ({ config }: Deps): string => (config.deployment.mainnet ? 'public' : 'testnet')

/** Throws `wallet-not-found`, also for another customer's wallet. */
export async function unlink(deps: Deps, customerId: string, id: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.db.transaction().execute(async tx => {
    const gone = await tx
      .deleteFrom('wallets')
      .where('id', '=', id)
      .where('customer_id', '=', customerId)
      .returning('address')
      .executeTakeFirst()
    if (!gone) throw walletNotFound()
    await record(
      tx,
      { actor: `customer:${customerId}`, action: 'wallet.unlinked', subject: `wallet:${id}`, details: gone },
      now,
    )
  })
}

/** The customer's own wallet. Throws `wallet-not-found`. */
export async function requireWallet(deps: Deps, customerId: string, id: string) {
  const row = await findWallet(deps.database.db, customerId, id)
  if (!row) throw walletNotFound()
  return row
}

export const takenByAnother = () =>
  new Problem('wallet-taken', 'Another customer has proven control of this address.')

const walletNotFound = () => new Problem('wallet-not-found', 'You have no linked wallet with this id.')

/** A ledger account as people link it, `G…` or muxed `M…` (SEP-23). Throws `validation-failed`. */
function readAddress(typed: string): string {
  const address = typed.trim()
  if (!isStellarAccount(address)) {
    throw invalid('address', 'must be a Stellar account, G… or M…, with a valid checksum')
  }
  return address
}

const NETWORKS: Readonly<Record<string, string>> = { testnet: 'testnet', public: 'public', mainnet: 'public' }

/** The networks we know in any case; other names stay as they were typed. */
function readNetwork(typed: string | undefined, fallback: string): string {
  const text = typed?.trim() || fallback
  return NETWORKS[text.toLowerCase()] ?? text
}
