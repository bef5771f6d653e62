import { proveWalletByCallback, type Wallet } from '@windlass/contracts/platform/customers.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import { type Requirements, requirementsOf } from '@windlass/stellar/account-signers.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { type Signer, signerFromSeedBytes } from '@windlass/stellar/ed25519.ts'
import { readAccount } from '@windlass/stellar/horizon-account.ts'
import {
  type AccountSigner,
  CHALLENGE_SECONDS,
  ChallengeError,
  type ReadChallenge,
  buildChallenge,
  checkSigners,
  readChallenge,
} from '@windlass/stellar/sep10-challenge.ts'
import { signingLink } from '@windlass/stellar/sep7.ts'
import { sql } from 'kysely'
import { createHmac } from 'node:crypto'
import { findAnchor } from '../anchors/anchors.ts'
import { record } from '../audit/record.ts'
import { qrOf } from '../qr.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { requireWallet, takenByAnother } from './link.ts'
import { asWallet, isProvenByAnother } from './wallets.ts'

// The platform's challenge key follows from a secret it has anyway; it holds nothing and signs nothing else.
const challengeSigner = (key: string): Signer =>
  signerFromSeedBytes(createHmac('sha256', key).update('wallet-challenge').digest())

function termsOf({ config }: Deps, signer: Signer) {
  const host = new URL(config.urls.platform).host
  return {
    server: signer.address,
    networkPassphrase: config.network.passphrase,
    homeDomain: host,
    webAuthDomain: host,
  }
}

/** A challenge in SEP-10's form for the wallet to sign. A new one replaces the older one. */
export async function challenge(deps: Deps, customerId: string, walletId: string) {
  const wallet = await requireWallet(deps, customerId, walletId)
  const signer = challengeSigner(deps.config.tokens.customer)
  const terms = termsOf(deps, signer)
  const now = deps.clock.now()
  const statements = await statementsOf(deps, customerId, wallet.proven_at_anchor)
  const transaction = buildChallenge(signer, terms, { account: wallet.address, statements }, now)
  const { hash, expiresAt } = readChallenge(transaction, terms, now)
  const row = { transaction_hash: hash, expires_at: expiresAt }
  await deps.database.db
    .insertInto('wallet_challenges')
    .values({ wallet_id: walletId, ...row })
    .onConflict(conflict => conflict.column('wallet_id').doUpdateSet(row))
    .execute()
  const until = new Date(Math.floor(now.getTime() / 1000 + CHALLENGE_SECONDS) * 1000)
  const { networkPassphrase } = terms
  const callback = `url:${deps.config.urls.platform}${proveWalletByCallback.path}`
  const query = { xdr: transaction, pubkey: wallet.address, callback }
  const link = signingLink({ ...query, network_passphrase: networkPassphrase })
  return { transaction, networkPassphrase, expiresAt: until.toISOString(), link, qr: qrOf(link) }
}

/** As {@link prove}, for the wallet whose challenge it is. */
export async function proveByCallback(deps: Deps, signed: string): Promise<void> {
  const { hash } = readOwn(deps, signed)
  const wallet = await deps.database.db
    .selectFrom('wallet_challenges')
    .innerJoin('wallets', 'wallets.id', 'wallet_challenges.wallet_id')
    .select(['wallets.id', 'wallets.customer_id'])
    .where('transaction_hash', '=', hash)
    .executeTakeFirst()
  if (!wallet) throw usedOrReplaced()
  await prove(deps, wallet.customer_id, wallet.id, signed)
}

const usedOrReplaced = () =>
  new Problem('proof-not-accepted', 'This challenge was used or replaced. Request a new one.')

/** For whom the wallet is proven, for its signer to read: nobody signs for another customer without seeing it. */
async function statementsOf({ database: { db } }: Deps, customerId: string, anchorId: string | null) {
  const customer = await findCustomer(db, customerId)
  const anchor = anchorId === null ? undefined : await findAnchor(db, anchorId)
  return { customer: customer?.email ?? customerId, ...(anchor ? { anchor: anchor.home_domain } : {}) }
}

/**
 * Marks the wallet as proven. Throws `proof-not-accepted` with what is wrong, `wallet-taken` where another customer
 * was first, `dependency-unavailable` where the ledger cannot be asked for the account's signers.
 */
export async function prove(
  deps: Deps,
  customerId: string,
  walletId: string,
  signed: string,
): Promise<Wallet> {
  const wallet = await requireWallet(deps, customerId, walletId)
  const read = await checkSigned(deps, baseAccount(wallet.address), ({ signers, threshold }) =>
    checkProof(deps, wallet.address, signed, signers, threshold),
  )
  const now = deps.clock.now()
  return deps.database.db.transaction().execute(async tx => {
    // Where two prove the same address at once, one waits and is refused: it is taken.
    await lockAddress(tx, wallet.address)
    if (await isProvenByAnother(tx, wallet.address, customerId)) throw takenByAnother()
    const used = await tx
      .deleteFrom('wallet_challenges')
      .where('wallet_id', '=', walletId)
      .where('transaction_hash', '=', read.hash)
      .where('expires_at', '>', sql<Date>`now()`)
      .executeTakeFirstOrThrow()
    if (used.numDeletedRows === 0n) throw usedOrReplaced()
    await endProofsAtAnchors(tx, wallet.address, customerId, now)
    const proven = await tx
      .updateTable('wallets')
      .set({ verified_at: sql<Date>`coalesce(verified_at, ${now})`, proven_at_anchor: null })
      .where('id', '=', walletId)
      .returningAll()
      .executeTakeFirstOrThrow()
    await record(
      tx,
      {
        actor: `customer:${customerId}`,
        action: 'wallet.proven',
        subject: `wallet:${walletId}`,
        details: { address: wallet.address },
      },
      now,
    )
    return asWallet(proven)
  })
}

/** Serializes proofs of an address until the transaction ends. */
export const lockAddress = (tx: PlatformDb, address: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${address}, 0))`.execute(tx)

/** A proof to the platform itself supersedes logins of others that an anchor passed on. */
async function endProofsAtAnchors(
  tx: PlatformDb,
  address: string,
  customerId: string,
  now: Date,
): Promise<void> {
  const ended = await tx
    .updateTable('wallets')
    .set({ verified_at: null, proven_at_anchor: null })
    .where('address', '=', address)
    .where('customer_id', '!=', customerId)
    .where('proven_at_anchor', 'is not', null)
    .returning(['id', 'customer_id'])
    .execute()
  for (const { id, customer_id } of ended) {
    const details = { address, owner: customer_id }
    const subject = `wallet:${id}`
    await record(tx, { actor: `customer:${customerId}`, action: 'wallet.outdone', subject, details }, now)
  }
}

function checkProof(
  deps: Deps,
  address: string,
  signed: string,
  signers: readonly AccountSigner[],
  threshold: number,
): ReadChallenge {
  const { address: server } = challengeSigner(deps.config.tokens.customer)
  return readOwn(deps, signed, read => {
    if (read.account !== address) throw new ChallengeError('the challenge is for another address')
    checkSigners(read, server, signers, threshold)
  })
}

/** A challenge of the platform's that also passes these checks. Throws `proof-not-accepted`. */
function readOwn(deps: Deps, signed: string, check?: (read: ReadChallenge) => void): ReadChallenge {
  const signer = challengeSigner(deps.config.tokens.customer)
  try {
    const read = readChallenge(signed, termsOf(deps, signer), deps.clock.now())
    check?.(read)
    return read
  } catch (error) {
    if (error instanceof ChallengeError)
      throw new Problem('proof-not-accepted', `Not accepted: ${error.message}.`)
    throw error
  }
}

/**
 * Checks signatures by who signs for an account, as every source of the ledger says. Another source is asked about what one
 * accepts alone: its requests are money's. Throws what `check` does, and `dependency-unavailable`.
 */
export async function checkSigned<T>(
  { config, logger, second, secondAsks }: Deps,
  account: string,
  check: (found: Requirements) => T,
): Promise<T> {
  const shown = await fromLedger(readAccount(config.network, account))
  const checked = check(requirementsOf(account, shown))
  if (!second) return checked
  await secondAsks.demand(account)
  const found = requirementsOf(account, shown, await fromLedger(second.signersOf(account)))
  if (!found.isAgreed) logger.warn({ account }, 'the sources of the ledger name different signers')
  return check(found)
}

const fromLedger = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    throw unavailable('The ledger', error)
  })
