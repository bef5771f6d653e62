import { parseAmount } from '@windlass/money/amount.ts'
import { claimDue, firstDueAt, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { NotProven, type Proof } from '@windlass/stellar/archive/prove.ts'
import { ledgerOf, operationIndex, paymentIn } from '@windlass/stellar/check-answers.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { LedgerProof, RailOrder, Tables } from '../tables.ts'
import { findTransfer } from '../transfers/find.ts'
import { ledgerAsset } from './build-payment.ts'
import { endIncident, openIncident } from './incidents.ts'
import { UNTIL_DECIDED, waitColumns } from './waits.ts'

/** Archives publish each 64 ledgers; later a person decides. */
const PATIENCE_MS = 6 * 60_000
const RETRY_SECONDS = 15

const WAITING = {
  table: 'ledger_proofs',
  dueAt: 'next_try_at',
  where: sql`state = 'waiting'`,
  longestSeconds: RETRIES_WITHIN_SECONDS,
}

/** For the due work. */
export const proofsDueAt = firstDueAt(WAITING)

/** Whether a payout waits until the payment of its withdrawal is proven: one above the limit, where archives are known. */
export async function waitsForProof(
  { prove, config, database: { db } }: Deps,
  { id, kind, transfer_id: transferId }: RailOrder,
): Promise<boolean> {
  if (!prove || kind !== 'payout' || transferId === null) return false
  const transfer = await findTransfer(db, transferId)
  if (transfer?.direction !== 'withdrawal' || !transfer.amount || !transfer.ledger_hash) return false
  if (parseAmount(transfer.amount) <= config.proofLimit) return false
  const receipt = await acceptedReceipt(db, transferId)
  // After a reset its chain is gone.
  if (!receipt || !/^\d+$/.test(receipt.id)) return false
  return db.transaction().execute(async tx => {
    await tx
      .insertInto('ledger_proofs')
      .values({ transfer_id: transferId, hash: receipt.hash, ledger: ledgerOf(receipt.id) })
      .onConflict(conflict => conflict.column('transfer_id').doNothing())
      .execute()
    const { state } = await tx
      .selectFrom('ledger_proofs')
      .select('state')
      .where('transfer_id', '=', transferId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (state !== 'waiting') return false
    await tx
      .updateTable('rail_orders')
      .set({ next_try_at: UNTIL_DECIDED, ...waitColumns({ code: 'proof' }) })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute()
    return true
  })
}

const acceptedReceipt = (db: Db<Tables>, transferId: string) =>
  db
    .selectFrom('ledger_receipts')
    .select(['id', 'hash', 'amount', 'asset'])
    .where('transfer_id', '=', transferId)
    .where('outcome', '=', 'accepted')
    .executeTakeFirst()

/** Asks archives for the proofs that payouts wait for. */
export async function proveWithdrawals(deps: Deps): Promise<void> {
  const { prove, database } = deps
  const rows = await claimDue<LedgerProof, Tables>(database.db, {
    ...WAITING,
    key: 'transfer_id',
    leaseSeconds: 300,
    limit: 1,
  })
  for (const row of rows) {
    // The setting was removed: nothing is waited for any more.
    if (!prove) await end(deps, row.transfer_id, { state: 'accepted' })
    else await tryProof(deps, row, prove)
  }
}

async function tryProof(deps: Deps, row: LedgerProof, prove: NonNullable<Deps['prove']>): Promise<void> {
  const { db } = deps.database
  try {
    const proof = await prove({ hash: row.hash, ledger: row.ledger })
    await requireSamePayment(deps, row, proof)
    await end(deps, row.transfer_id, { state: 'proven', proof: JSON.stringify(proof) })
  } catch (error) {
    const why = error instanceof NotProven ? error.why : 'unavailable'
    deps.logger.warn({ err: error, transfer: row.transfer_id, why }, 'a withdrawal is not proven yet')
    const isLate = deps.clock.now().getTime() - row.created_at.getTime() > PATIENCE_MS
    if (isLate || why === 'absent' || why === 'contradicted') await tell(deps, row, why, error)
    await db
      .updateTable('ledger_proofs')
      .set({ next_try_at: sql<Date>`now() + ${RETRY_SECONDS} * interval '1 second'` })
      .where('transfer_id', '=', row.transfer_id)
      .execute()
  }
}

/** The payment that was recorded is the one that is proven. @throws {NotProven} */
async function requireSamePayment({ config, database }: Deps, row: LedgerProof, proof: Proof): Promise<void> {
  const { anchor } = config
  const receipt = await acceptedReceipt(database.db, row.transfer_id)
  if (!receipt) throw new NotProven('contradicted', 'the withdrawal has no payment')
  const index = operationIndex(receipt.id)
  const paid = proof.successful ? paymentIn(proof, index, anchor.network.passphrase) : null
  const asset = ledgerAsset(anchor, receipt.asset)
  const { distribution } = anchor.accounts
  const amount = parseAmount(receipt.amount)
  const isSame =
    paid !== null &&
    ('contract' in paid
      ? paid.contract === asset.contractId(anchor.network.passphrase) &&
        baseAccount(paid.to) === distribution &&
        paid.amount === amount
      : paid.asset.equals(asset) &&
        baseAccount(paid.destination) === distribution &&
        parseAmount(paid.amount) === amount)
  if (!isSame)
    throw new NotProven('contradicted', 'what is proven is another payment than the one that was recorded')
}

async function tell({ database, wake }: Deps, row: LedgerProof, why: string, error: unknown): Promise<void> {
  const opened = await openIncident(database.db, {
    kind: 'unproven-payment',
    subject: row.hash,
    details: {
      reason: 'withdrawal',
      payment: row.transfer_id,
      transaction: row.hash,
      why,
      error: (error as Error).message.slice(0, 500),
    },
  })
  if (opened) wake.emit('conditions')
}

async function end(
  deps: Deps,
  transferId: string,
  ended: { state: 'proven'; proof: string } | { state: 'accepted' },
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const row = await tx
      .updateTable('ledger_proofs')
      .set({ ...ended, ended_at: sql<Date>`now()` })
      .where('transfer_id', '=', transferId)
      .where('state', '=', 'waiting')
      .returning('hash')
      .executeTakeFirst()
    if (!row) return
    await endIncident(tx, 'unproven-payment', row.hash, 'transaction-applied')
    await releaseProven(tx, transferId)
  })
  deps.wake.emit('railOrders')
}

async function releaseProven(tx: Db<Tables>, transferId: string): Promise<void> {
  await tx
    .updateTable('rail_orders')
    .set({ ...waitColumns(null), next_try_at: sql<Date>`now()` })
    .where('transfer_id', '=', transferId)
    .where('state', '=', 'queued')
    .where('wait_code', '=', 'proof')
    .execute()
}

/** An operator says that the payment of a withdrawal is on the ledger, in the caller's transaction. */
export async function acceptWithoutProof(tx: Db<Tables>, hash: string): Promise<void> {
  const rows = await tx
    .updateTable('ledger_proofs')
    .set({ state: 'accepted', ended_at: sql<Date>`now()` })
    .where('hash', '=', hash)
    .where('state', '=', 'waiting')
    .returning('transfer_id')
    .execute()
  for (const { transfer_id } of rows) await releaseProven(tx, transfer_id)
}

/** The proof of a withdrawal's payment; null: none was asked for, or it is not there yet. */
export async function proofOf(db: Db<Tables>, transferId: string): Promise<Proof | null> {
  const row = await db
    .selectFrom('ledger_proofs')
    .select('proof')
    .where('transfer_id', '=', transferId)
    .executeTakeFirst()
  return (row?.proof as Proof | null | undefined) ?? null
}
