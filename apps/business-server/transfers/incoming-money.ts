import { Problem } from '@windlass/service/http/problem.ts'
import type { Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { requireOpen, termsOf } from '../money/settings/terms.ts'
import { localStatus } from '../people/customers/customers.ts'
import { samePersons } from '../people/customers/same-person.ts'
import { personOf } from '../people/customers/tiers.ts'
import type { Tables, Transfer } from '../tables.ts'
import { requireWithinTier } from './limits.ts'

/** How long after the time to pay the memo of a withdrawal still takes a payment. */
const MEMO_DAYS = 30
const MEMO_MS = MEMO_DAYS * 24 * 60 * 60 * 1000

/** The transfer whose reference a payment over a rail has, locked; null: there is none. */
export async function lockByReference(tx: Db<Tables>, reference: string): Promise<Transfer | null> {
  const query = tx.selectFrom('transfers').selectAll().where('reference', '=', reference)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}

export async function lockByLedgerMemo(tx: Db<Tables>, memo: string): Promise<Transfer | null> {
  if (!/^\d{1,19}$/.test(memo) || BigInt(memo) >= 2n ** 63n) return null
  const query = tx.selectFrom('transfers').selectAll().where('ledger_memo', '=', memo)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}

/** The withdrawal whose memo a payment on the ledger has, locked; null: there is none. */
export async function lockByPayment(
  tx: Db<Tables>,
  { muxedId, memo, memoType }: { muxedId: string | null; memo: string | null; memoType: string },
): Promise<Transfer | null> {
  const id = muxedId ?? (memoType === 'id' ? memo : null)
  return id === null ? null : lockByLedgerMemo(tx, id)
}

/** Whether a payment at this time came after the time to pay that the customer was shown. */
export const isLate = ({ expires_at }: Pick<Transfer, 'expires_at'>, cameAt: Date): boolean =>
  expires_at !== null && cameAt > expires_at

/** The transaction as it is priced for money that came at this time: on its own terms, or on today's after the time to pay. */
export async function onTermsOf(
  deps: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  transfer: Transfer,
  cameAt: Date,
): Promise<Transfer> {
  if (!isLate(transfer, cameAt)) return transfer
  const { settings } = await currentSettings(deps, tx)
  return { ...transfer, terms: termsOf(settings, transfer.direction) }
}

/**
 * Why money that came at this time is not taken, as the end of a sentence; null: it is (docs/adr/0110).
 *
 * @param added the amount where it was not agreed within the customer's limits, or is priced again
 */
export async function refusedNow(
  deps: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  transfer: Transfer,
  { cameAt, added }: { cameAt: Date; added: Amount | null },
): Promise<string | null> {
  if (await isRejected(tx, transfer)) return 'the identity of the customer was rejected'
  if (isLate(transfer, cameAt)) {
    if (isMemoOver(transfer, cameAt)) return `the time to pay ended more than ${MEMO_DAYS} days ago`
    const { settings } = await currentSettings(deps, tx)
    const closed = await messageOf(() => requireOpen(settings, { name: transfer.rail }, transfer.direction))
    if (closed !== null) return closed
  }
  return added === null ? null : messageOf(() => requireWithinTier(deps, tx, transfer, added))
}

/** What a problem says; null: there is none. */
async function messageOf(act: () => void | Promise<void>): Promise<string | null> {
  try {
    await act()
    return null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}

const isMemoOver = ({ direction, expires_at }: Transfer, cameAt: Date): boolean =>
  direction === 'withdrawal' && expires_at !== null && cameAt.getTime() - expires_at.getTime() > MEMO_MS

/**
 * Whether the person was rejected, as far as this server knows, under whatever address they signed in: who agreed, or whose the
 * account is now. Of a direct
 * payment (SEP-31) the sending anchor says who its customers are.
 */
export async function isRejected(
  db: Db<Tables>,
  { sep, person, account, account_memo: memo }: Transfer,
): Promise<boolean> {
  if (sep === '31') return false
  const { id } = await personOf(db, account, memo)
  for (const each of new Set([person, id])) {
    if (each === null) continue
    for (const same of await samePersons(db, each))
      if ((await localStatus(db, same))?.status === 'REJECTED') return true
  }
  return false
}
