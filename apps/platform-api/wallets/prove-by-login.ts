import type { Wallet } from '@windlass/contracts/platform/customers.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import {
  ChallengeError,
  checkSigners,
  homeDomainOf,
  readChallenge,
} from '@windlass/stellar/sep10-challenge.ts'
import { sql } from 'kysely'
import { activeSigner, findAnchor } from '../anchors/anchors.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import type { AnchorAccountsTable } from '../customer-tables.ts'
import { linkIn, networkOf, takenByAnother } from './link.ts'
import { checkSigned, lockAddress } from './prove.ts'
import { asWallet, isProvenByAnother } from './wallets.ts'

/** A login is accepted until this long after its challenge ended: the customer types the email code meanwhile. */
const GRACE_SECONDS = 60 * 60

/** That a wallet logged in at an anchor. */
export interface Login {
  anchorId: string
  address: string
  /** Hash of the challenge that it signed. */
  hash: Buffer
}

/**
 * Links and proves a wallet by the challenge that it signed at an active anchor. Throws `proof-not-accepted` with what
 * is wrong, `wallet-taken` where another customer has proven the address, `dependency-unavailable` where the ledger
 * cannot be asked for the account's signers.
 */
export async function proveByLogin(deps: Deps, customerId: string, transaction: string): Promise<Wallet> {
  const login = await readLogin(deps, transaction)
  return deps.database.db.transaction().execute(tx => proveIn(deps, tx, customerId, login, null))
}

/** As {@link proveByLogin}, in the caller's transaction. `linkedAt`: where the customer signed in; null: in the portal. */
export async function proveIn(
  deps: Deps,
  tx: PlatformDb,
  customerId: string,
  login: Login,
  linkedAt: string | null = login.anchorId,
): Promise<Wallet> {
  await lockAddress(tx, login.address)
  if (await isProvenByAnother(tx, login.address, customerId, true)) throw takenByAnother()
  await linkIn(deps, tx, customerId, { address: login.address, anchorId: linkedAt })
  const { id } = await linkedWallet(deps, tx, customerId, login.address)
  if (!(await spendLogin(tx, login, id, deps.clock.now())))
    throw notAccepted('this login has proven a wallet already')
  return markProven(deps, tx, customerId, { ...login, id })
}

/**
 * Links a wallet that the customer has confirmed after signing in with it at an anchor; proven where its login there was.
 * Throws `wallet-taken`.
 */
export async function linkConfirmed(
  deps: Deps,
  tx: PlatformDb,
  customerId: string,
  {
    account: address,
    anchor_id: anchorId,
    proven,
  }: Pick<AnchorAccountsTable, 'account' | 'anchor_id' | 'proven'>,
): Promise<void> {
  await lockAddress(tx, address)
  if (await isProvenByAnother(tx, address, customerId, true)) throw takenByAnother()
  await linkIn(deps, tx, customerId, { address, anchorId })
  const anchor = await findAnchor(tx, anchorId)
  if (!proven || anchor?.status !== 'active') return
  const { id } = await linkedWallet(deps, tx, customerId, address)
  await markProven(deps, tx, customerId, { address, anchorId, id })
}

async function markProven(
  { clock }: Deps,
  tx: PlatformDb,
  customerId: string,
  { id, address, anchorId }: Omit<Login, 'hash'> & { id: string },
): Promise<Wallet> {
  const now = clock.now()
  const proven = await tx
    .updateTable('wallets')
    .set({
      // What was proven to the platform itself stays so.
      proven_at_anchor: sql<string>`case when verified_at is null then ${anchorId} else proven_at_anchor end`,
      verified_at: sql<Date>`coalesce(verified_at, ${now})`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const details = { address, anchorId }
  const act = { actor: `customer:${customerId}`, action: 'wallet.proven', subject: `wallet:${id}`, details }
  await record(tx, act, now)
  return asWallet(proven)
}

const linkedWallet = (deps: Deps, tx: PlatformDb, customerId: string, address: string) =>
  tx
    .selectFrom('wallets')
    .select('id')
    .where('customer_id', '=', customerId)
    .where('address', '=', address)
    .where('network', '=', networkOf(deps))
    .executeTakeFirstOrThrow()

/**
 * Reads a challenge that a wallet signed to log in at an active anchor, at most `graceSeconds` after it ended. Throws
 * `proof-not-accepted`, `dependency-unavailable` where the ledger cannot be read.
 */
export async function readLogin(
  deps: Deps,
  transaction: string,
  graceSeconds = GRACE_SECONDS,
): Promise<Login> {
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
  await checkSigned(deps, account, ({ signers, threshold }) =>
    orRefuse(() => checkSigners(login, anchor.signingKey, signers, threshold)),
  )
  return { anchorId: anchor.id, address: account, hash }
}

/** Marks a login as used; false: it was. `walletId` null: for a wallet that waits for its customer. */
export async function spendLogin(
  tx: PlatformDb,
  { hash, anchorId }: Login,
  walletId: string | null,
  now: Date,
): Promise<boolean> {
  const used = await tx
    .insertInto('login_proofs')
    .values({ transaction_hash: hash, wallet_id: walletId, anchor_id: anchorId, used_at: now })
    .onConflict(conflict => conflict.column('transaction_hash').doNothing())
    .executeTakeFirst()
  return used.numInsertedOrUpdatedRows !== 0n
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

/** Forgets used logins, which are too old to be accepted again. */
export async function pruneProofs(db: PlatformDb): Promise<void> {
  await sql`delete from login_proofs where used_at < now() - interval '400 days'`.execute(db)
}
