import type { ActionKind } from '@windlass/contracts/anchor/operator-actions.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Transaction } from 'kysely'
import type { Account } from '../../money/approvals/approvals.ts'
import type { Deps } from '../../deps.ts'
import { isOrderBound } from '../../payments/bound-orders.ts'
import { paymentRow } from '../../payments/bound-payments.ts'
import { isReturnProven } from '../../payments/operator.ts'
import { findUnboundPayment, releaseUnboundPayment } from '../../payments/release-unbound.ts'
import { findSentBack, isBackBound } from '../../payments/sent-back.ts'
import { findUnboundPayout, releaseUnboundPayout } from '../../payments/unbound-payouts.ts'
import { findUnboundReturn, releaseUnboundReturn } from '../../payments/unbound-returns.ts'
import type { LedgerPayment, RailOrder, StoredAction, Tables, Transfer } from '../../tables.ts'
import {
  type Asked,
  areTermsBound,
  bindSeen,
  isReceivedBound,
  seenTerms,
} from '../../transfers/bound-terms.ts'
import { openDestination } from '../../transfers/destination.ts'

/* What this server did not agree, or order, as it is: two people look at it, and what they saw is done (docs/adr/0176). */

const notPossible = (why: string) => new Problem('action-not-possible', why)

/**
 * What an action of two people rests on where this server did not agree what the withdrawal says: the account that is shown to
 * the second one, and the proof of what the first one saw. Null: its own limit says how many people it needs.
 */
export async function asSeen(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  { kind, account, by }: { kind: ActionKind; account?: Account | undefined; by: string },
): Promise<{ account?: Account | undefined; details?: Record<string, string> } | null> {
  if (!(await isUnbound(deps, tx, transfer, kind))) return null
  if (kind === 'refund' && transfer.direction === 'withdrawal') return {}
  try {
    const about = await readAbout(tx, transfer, kind)
    const { pays } = about
    const to = account ?? (pays ? { dest: pays.destination } : openDestination(deps.sealer, transfer))
    const shown = to.dest ? to : null
    const seen = seenTerms(deps, transfer, askedFor(about, { kind, by, account: shown }))
    return { account: shown ?? undefined, details: { seen } }
  } catch {
    throw notPossible('The account that it is paid to cannot be read.')
  }
}

/** Throws `action-not-possible` where it is not what the first of two people saw any more; else it is bound so. */
export async function requireAsSeen(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  { kind, requested_by: by, details }: Pick<StoredAction, 'requested_by' | 'details'> & { kind: ActionKind },
  account: Account | null,
): Promise<void> {
  if (details.seen === undefined) return
  const asked = askedFor(await readAbout(tx, transfer, kind), { kind, by, account })
  if (await bindSeen(deps, tx, transfer, details.seen, asked)) return
  throw notPossible('The transaction was changed since it was asked for.')
}

type About = { order: RailOrder | null; pays: LedgerPayment | null }

const readAbout = async (tx: Db<Tables>, transfer: Transfer, kind: ActionKind): Promise<About> => ({
  order: await orderAbout(tx, transfer, kind),
  pays: await paymentAbout(tx, transfer, kind),
})

const askedFor = ({ order, pays }: About, by: Pick<Asked, 'kind' | 'by' | 'account'>): Asked => ({
  ...{ ...by, order, payment: pays && paymentRow(pays) },
})

/** Whether the action moves money of a withdrawal that this server did not agree, or order, as it is. */
export async function isUnbound(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  kind: ActionKind,
): Promise<boolean> {
  const { id, direction } = transfer
  const back = kind === 'pay-again' || kind === 'refund' ? await findSentBack(tx, id) : null
  // Only the bank says that it came back: else what arrived is paid a second time.
  if (back && !(await isBackBound(deps, tx, back))) return true
  if (back && !(await isOrderBound(deps, tx, back))) return true
  if (back && kind === 'refund') return !(await isReceivedBound(deps, tx, transfer))
  if (back && direction === 'withdrawal') return !(await areTermsBound(deps, tx, id))
  if (await paymentAbout(tx, transfer, kind)) return true
  if (direction === 'deposit' && kind === 'resend') return (await findUnboundReturn(tx, id)) !== null
  if (direction === 'deposit') return kind === 'refund' && !(await isReturnProven(deps, tx, transfer))
  return (kind === 'resend' || kind === 'refund') && (await findUnboundPayout(tx, id)) !== null
}

/** What came back, of what is paid again, or the return of a deposit that waits: its amount is paid. */
async function orderAbout(
  tx: Db<Tables>,
  { id, direction }: Transfer,
  kind: ActionKind,
): Promise<RailOrder | null> {
  if (kind === 'pay-again') return findSentBack(tx, id)
  return kind === 'resend' && direction === 'deposit' ? findUnboundReturn(tx, id) : null
}

/** The payment on the ledger that resending lets go. */
const paymentAbout = async (
  tx: Db<Tables>,
  { id }: Transfer,
  kind: ActionKind,
): Promise<LedgerPayment | null> => (kind === 'resend' ? findUnboundPayment(tx, id) : null)

/** Releases a payment on the ledger, a deposit's return, or the payout of a withdrawal. */
export async function releaseSeen(deps: Deps, tx: Transaction<Tables>, transfer: Transfer): Promise<void> {
  const payment = await paymentAbout(tx, transfer, 'resend')
  if (payment) return releaseUnboundPayment(deps, tx, payment, transfer)
  if (transfer.direction === 'withdrawal') return releaseUnboundPayout(deps, tx, transfer)
  const order = await findUnboundReturn(tx, transfer.id)
  if (!order || order.destination.paymentId !== transfer.rail_payment_id)
    throw notPossible('What is ordered is not what the transaction says.')
  await releaseUnboundReturn(deps, tx, order)
}
