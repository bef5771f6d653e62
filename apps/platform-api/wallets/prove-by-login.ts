import type { Wallet } from '@windlass/contracts/customers.ts'
import { Problem } from '@windlass/service/problem.ts'
import {
  ChallengeError,
  checkSigners,
  homeDomainOf,
  readChallenge,
} from '@windlass/stellar/sep10-challenge.ts'
import { sql } from 'kysely'
import { activeSigner } from '../anchors/anchors.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'
import { readNetwork, takenByAnother } from './link.ts'
import { lockAddress, signersOf } from './prove.ts'
import { asWallet, isProvenByAnother } from './wallets.ts'

/** A login is accepted until this long after its challenge ended: the customer types the email code meanwhile. */
const GRACE_SECONDS = 60 * 60

/**
 * Links and proves a wallet by the challenge that it signed at an active anchor. Throws `proof-not-accepted` with what
 * is wrong, `wallet-taken` where another customer has proven the address, `dependency-unavailable` where the ledger
 * cannot be asked for the account's signers.
 */
export async function proveByLogin(deps: Deps, customerId: string, transaction: string): Promise<Wallet> {
  const { anchorId, address, hash } = await readLogin(deps, transaction)
  const now = deps.clock.now()
  return deps.database.db.transaction().execute(async tx => {
    await lockAddress(tx, address)
    if (await isProvenByAnother(tx, address, customerId, true)) throw takenByAnother()
    const wallet = await ensureLinked(deps, tx, customerId, address)
    await useLogin(tx, { transaction_hash: hash, wallet_id: wallet.id, anchor_id: anchorId, used_at: now })
    const proven = await tx
      .updateTable('wallets')
      .set({
        // What was proven to the platform itself stays so.
        proven_at_anchor: sql<string>`case when verified_at is null then ${anchorId} else proven_at_anchor end`,
        verified_at: sql<Date>`coalesce(verified_at, ${now})`,
      })
      .where('id', '=', wallet.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const details = { address, anchorId }
    const subject = `wallet:${wallet.id}`
    await record(tx, { actor: `customer:${customerId}`, action: 'wallet.proven', subject, details }, now)
    return asWallet(proven)
  })
}

/**
 * Reads a challenge that a wallet signed to log in at an active anchor, at most `graceSeconds` after it ended. Throws
 * `proof-not-accepted`, `dependency-unavailable` where the ledger cannot be read.
 */
export async function readLogin(deps: Deps, transaction: string, graceSeconds = GRACE_SECONDS) {
  const homeDomain = homeDomainOf(transaction)
  const anchor = homeDomain === null ? null : await activeSigner(deps.database.db, homeDomain)
  if (homeDomain === null || !anchor) throw notAccepted('it is not a login at an active anchor')
  const terms = {
    server: anchor.signingKey,
    networkPassphrase: deps.config.network.passphrase,
    homeDomain,
    webAuthDomain: homeDomain,
  }
  const login = orRefuse(() => readChallenge(transaction, terms, deps.clock.now(), graceSeconds))
  const { account, memo, hash } = login
  if (memo !== null || account.startsWith('M')) throw notAccepted('shared accounts cannot be proven')
  const { signers, threshold } = await signersOf(deps, account)
  orRefuse(() => checkSigners(login, anchor.signingKey, signers, threshold))
  return { anchorId: anchor.id, address: account, hash }
}

/** Links the wallet to the customer, unless it is. */
export async function ensureLinked(deps: Deps, tx: PlatformDb, customerId: string, address: string) {
  const network = readNetwork(undefined, deps.config.deployment.mainnet ? 'public' : 'testnet')
  const row = { customer_id: customerId, address, network }
  await tx
    .insertInto('wallets')
    .values({ ...row, id: newId('wal'), label: '', verified_at: null, created_at: deps.clock.now() })
    .onConflict(conflict => conflict.columns(['customer_id', 'address', 'network']).doNothing())
    .execute()
  return tx
    .selectFrom('wallets')
    .select('id')
    .where('customer_id', '=', customerId)
    .where('address', '=', address)
    .where('network', '=', network)
    .executeTakeFirstOrThrow()
}

async function useLogin(
  tx: PlatformDb,
  row: { transaction_hash: Buffer; wallet_id: string; anchor_id: string; used_at: Date },
): Promise<void> {
  const used = await tx
    .insertInto('login_proofs')
    .values(row)
    .onConflict(conflict => conflict.column('transaction_hash').doNothing())
    .executeTakeFirst()
  if (used.numInsertedOrUpdatedRows === 0n) throw notAccepted('this login has proven a wallet already')
}

function orRefuse<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ChallengeError) throw notAccepted(error.message)
    throw error
  }
}

const notAccepted = (what: string) => new Problem('proof-not-accepted', `Not accepted: ${what}.`)
