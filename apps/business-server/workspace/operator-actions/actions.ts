import type { ActionKind, OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Transaction } from 'kysely'
import {
  type Account,
  accountOf,
  actionsOf,
  addAction,
  findAction,
  finishAction,
  limitFor,
  requireSecond,
} from '../../money/approvals/approvals.ts'
import { requireFeasible } from '../../bank-files/decide.ts'
import { isKnownHeld } from '../../people/compliance/compare-names.ts'
import { thresholdIn } from '../../money/pricing/worth.ts'
import type { Deps } from '../../deps.ts'
import { isCreditFromGap, lookUpCredit } from '../../payments/credit-from-gap.ts'
import { lockPaymentsOf } from '../../payments/operator.ts'
import { findOtherHoldersPayout } from '../../payments/other-holder.ts'
import { compareWithLedger } from '../../payments/receive-rail-payment.ts'
import { describeFaults, readDestination } from '../../rails/destination-fields.ts'
import { lockPayoutOfTransfer } from '../../rails/bank-file/payouts.ts'
import type { RailOrder, StoredAction, Tables, Transfer } from '../../tables.ts'
import { maskAccount, openDestination } from '../../transfers/destination.ts'
import { findTransfer, lockTransfer } from '../../transfers/find.ts'
import { possibleActions, notPossible, effects, type Row } from './effects.ts'
import { asSeen, requireAsSeen } from './unbound.ts'

interface NewAction {
  kind: ActionKind
  reason: string
  paymentId?: string
  account?: Account | undefined
  by: string
}

/**
 * Does something with a transaction, or writes it down for a second person where the amount is above the limit of the
 * settings. The action, its effect and the journal are one database transaction; payments leave by the same queues as all
 * others, each under a key of its cause, so that nothing is paid twice if a process ends in between.
 *
 * @throws `transaction-not-found`, `action-not-possible`, `statements-missing`, `validation-failed`
 */
export async function requestAction(deps: Deps, id: string, action: NewAction): Promise<OperatorAction> {
  if (action.kind === 'mark-paid' && !action.paymentId) throw invalid('paymentId', 'is needed as evidence')
  const found = await findTransfer(deps.database.db, id)
  if (!found) throw new Problem('transaction-not-found', 'There is no transaction with this id.')
  const account = readAccount(deps, found, action)
  const isMarked = action.kind === 'mark-paid'
  if (isMarked) await compareWithLedger(deps)
  const isShown =
    isMarked && isCreditFromGap(found) && (await lookUpCredit(deps, found, action.paymentId ?? ''))
  const row = await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockWithPayments(tx, id)
    await requirePossible(deps, tx, transfer, action.kind)
    await requireNotHeld(tx, id, action.kind)
    await requireNoneWaiting(tx, id)
    const seen = await asSeen(deps, tx, transfer, { ...action, account })
    const isDoubted = isMarked && isCreditFromGap(transfer) && !(isShown && (await isShown(tx, transfer)))
    const released = seen || action.kind !== 'resend' ? null : await findOtherHoldersPayout(tx, id)
    const two = seen !== null || isDoubted || (await needsTwo(deps, tx, transfer, action, released !== null))
    const { kind, reason, by } = action
    const paymentId = isMarked ? (action.paymentId ?? null) : null
    const shown = seen ?? (released && asReleased(deps, transfer, released))
    const wanted = { kind, reason, paymentId, account, ...shown, by, twoPeople: two }
    const written = { ...(await addAction(deps, tx, { transfer_id: id }, wanted)), transfer_id: id, kind }
    if (!two) return perform(deps, tx, written, transfer, action.by)
    if (isDoubted) await requireFeasible(tx, () => effects[kind](deps, tx, transfer, written))
    return written
  })
  wake(deps)
  return form(deps, row, true)
}

/**
 * Approves or rejects an action that waits.
 *
 * @throws `action-not-found`, `action-decided`, `second-person-needed`, `action-not-possible`, `statements-missing`
 */
export async function decideAction(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<OperatorAction> {
  const found = await findTransactionAction(deps.database.db, id)
  if (approve && found.kind === 'mark-paid') await compareWithLedger(deps)
  const row = await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockWithPayments(tx, found.transfer_id)
    const action = await findTransactionAction(tx, id)
    if (action.state !== 'waiting')
      throw new Problem('action-decided', `The action is ${action.state} already.`)
    if (!approve) return finishAction(tx, action, 'rejected', by)
    await requireSecond(deps, tx, action, by)
    await requirePossible(deps, tx, transfer, action.kind)
    await requireNotHeld(tx, transfer.id, action.kind)
    return perform(deps, tx, action, transfer, by)
  })
  wake(deps)
  return form(deps, row, true)
}

/** Another account for a payout that came back, in the bank's form. Throws `validation-failed`. */
function readAccount(
  deps: Deps,
  { rail, direction }: Transfer,
  { kind, account }: NewAction,
): Account | undefined {
  if (!account) return undefined
  if (kind !== 'pay-again' || direction !== 'withdrawal')
    throw invalid('account', 'is for a withdrawal that is paid again only')
  const { destination, wrong } = readDestination(deps.rails.get(rail)?.destinationFields ?? [], account)
  if (wrong.length > 0) throw invalid('account', describeFaults(wrong))
  return destination
}

/** In the order in which statements lock too. */
async function lockWithPayments(tx: Db<Tables>, id: string): Promise<Transfer> {
  await lockPayoutOfTransfer(tx, id)
  await lockPaymentsOf(tx, id)
  return lockTransfer(tx, id)
}

/**
 * The newest 200 of a transaction, oldest first.
 *
 * @param isWhole whether an account that one asks for is shown whole, as people need who approve it.
 */
export async function listActions(
  deps: Pick<Deps, 'database' | 'sealer'>,
  transferId: string,
  isWhole: boolean,
): Promise<OperatorAction[]> {
  const newest = await actionsOf(deps.database.db, { transfer_id: transferId }, 200)
  return newest
    .toReversed()
    .filter(isOfTransaction)
    .map(row => form(deps, row, isWhole))
}

async function requirePossible(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  kind: ActionKind,
): Promise<void> {
  if ((await possibleActions(deps, tx, transfer)).includes(kind)) return
  throw notPossible(
    `A ${transfer.direction} that is ${transfer.state.replaceAll('_', ' ')} does not allow it.`,
  )
}

/** Screening lets nothing leave; only a refund of what a velocity rule held, once a person confirmed it. */
async function requireNotHeld(tx: Db<Tables>, id: string, kind: ActionKind): Promise<void> {
  if (kind === 'cancel' || !(await isKnownHeld(tx, { kind: 'transaction', id }, kind === 'refund'))) return
  throw notPossible('It cannot be done at the moment. Owners, admins and compliance can find out why.')
}

async function requireNoneWaiting(tx: Db<Tables>, id: string): Promise<void> {
  const waiting = (await actionsOf(tx, { transfer_id: id }, 200)).some(({ state }) => state === 'waiting')
  if (waiting) throw notPossible('Another action waits for a second person. Approve or reject it first.')
}

/** What lets a payout go to an account of which a bank named another holder: a second person sees the account. */
const asReleased = (deps: Deps, transfer: Transfer, { id }: RailOrder) => ({
  account: openDestination(deps.sealer, transfer),
  details: { releases: id },
})

/** @param isReleased whether resending lets something go that waits; else nothing moves by it that was not agreed. */
async function needsTwo(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  { kind, by, account }: Pick<NewAction, 'kind' | 'by' | 'account'>,
  isReleased: boolean,
): Promise<boolean> {
  // Anyone who can name another account could take the money.
  if (account || kind === 'write-off') return true
  const above = await limitFor(deps, tx, by)
  if (above === null || (kind === 'resend' && !isReleased)) return false
  // Any amount: as much as one transaction can have.
  if (transfer.amount === null) return kind !== 'cancel'
  return parseAmount(transfer.amount) > thresholdIn(deps.config, above, transfer.asset)
}

async function perform(
  deps: Deps,
  tx: Transaction<Tables>,
  action: Row,
  transfer: Transfer,
  by: string,
): Promise<Row> {
  const row = await finishAction(tx, action, 'done', by)
  await requireAsSeen(deps, tx, transfer, action, accountOf(deps, action))
  await effects[action.kind](deps, tx, transfer, action)
  deps.faults.at('operator-action:written')
  return row
}

const isOfTransaction = (action: StoredAction): action is Row => action.transfer_id !== null

/** Throws `action-not-found`, also for an action on something else. */
async function findTransactionAction(db: Db<Tables>, id: string): Promise<Row> {
  const action = await findAction(db, id)
  if (isOfTransaction(action)) return action
  throw new Problem('action-not-found', 'No action on a transaction has this id.')
}

function wake({ wake }: Deps): void {
  wake.emit('sepCalls')
  wake.emit('ledgerPayments')
  wake.emit('railOrders')
}

/** The account that an action asks for, while it waits. */
function accountForm(deps: Pick<Deps, 'sealer'>, row: Row, isWhole: boolean): OperatorAction['account'] {
  const account = accountOf(deps, row)
  if (!account) return null
  const { dest = '', dest_extra, dest_name } = account
  if (!isWhole) return { dest: maskAccount(dest) }
  return { dest, ...(dest_extra && { dest_extra }), ...(dest_name && { dest_name }) }
}

const form = (deps: Pick<Deps, 'sealer'>, row: Row, isWhole: boolean): OperatorAction => ({
  id: row.id,
  transactionId: row.transfer_id,
  kind: row.kind,
  reason: row.reason,
  paymentId: row.payment_id,
  account: accountForm(deps, row, isWhole),
  status: row.state,
  requestedBy: row.requested_by,
  requestedAt: row.requested_at.toISOString(),
  decidedBy: row.decided_by,
  decidedAt: row.decided_at?.toISOString() ?? null,
})
