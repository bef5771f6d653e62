import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import { isHeld } from '../people/compliance/compare-names.ts'
import { removedText } from '../people/retention/rules.ts'
import type { Deps } from '../deps.ts'
import { transferOfOrder } from '../payments/rail-orders.ts'
import { restoredAt } from '../payments/restored.ts'
import { bookBlocked } from '../payments/blocked.ts'
import { isTransactionHeld } from '../payments/hold-payments.ts'
import { isRejected } from '../transfers/incoming-money.ts'
import { findTransfer } from '../transfers/find.ts'
import { asIndianCsv, asNacha, asPain001, hasLatinForm } from '../rails/bank-file/file-formats.ts'
import { faultsOf } from '../rails/bank-file/check-file.ts'
import * as files from '../rails/bank-file/files.ts'
import { recordOrderEnd } from '../payments/settle-order.ts'
import {
  endPayout,
  lockPayoutOfTransfer,
  lockPayoutsOfFile,
  rejectedCodes,
} from '../rails/bank-file/payouts.ts'
import type { Rail } from '../rails/rail.ts'
import { needsSecondPerson } from '../second-person.ts'
import type { BankPayout, PayoutFile, Tables } from '../tables.ts'
import { paymentsOf, type Payment } from './payout-destinations.ts'
import { createSheet, requireSeen } from './payout-sheets.ts'
import { bookedOnBalance, hasUnexplainedDebit, namedByDebits } from './lines.ts'
import { lastBooked } from './statements.ts'

/** Where the payments of a lost file are booked by then. */
const BOOKED_WITHIN_DAYS = 2
const DAY_MS = 86_400_000

/**
 * Puts the payouts of a rail that wait into a file, each in one file at most. It can be downloaded once a second person
 * has approved it. Payouts without a complete account are left out, and those that a debit of a statement names.
 *
 * @param by `operator:<id>`
 * @throws {Problem} `not-found`, `no-payouts-waiting`, `statements-missing`, `payout-file-invalid`.
 */
export async function createPayoutFile(deps: Deps, railName: string, by: string): Promise<files.ListedFile> {
  const rail = deps.rails.get(railName)
  if (!rail?.bankAccount) throw new Problem('not-found', 'There is no rail with bank files of this name.')
  if (rail.accountFault !== undefined)
    throw new Problem('rail-account-wrong', `The account of ${rail.name} is wrong: ${rail.accountFault}.`)
  if (!hasLatinForm(rail.bankAccount.holder))
    throw new Problem(
      'rail-account-wrong',
      `The holder of the account of ${rail.name} has no name in Latin letters, and banks take no others.`,
    )
  await compareFirst(deps, rail, tx => files.lockWaiting(tx, rail.name))
  const file = await deps.database.db.transaction().execute(async tx => {
    const account = accountOf(deps, rail.name)
    const waiting = await files.lockWaiting(tx, rail.name)
    await requireStatements(tx, account)
    const unpaid = await unbooked(tx, account, waiting)
    const payments = await withoutHeld(deps, tx, await paymentsOf(deps, tx, rail, unpaid))
    if (payments.length === 0)
      throw new Problem('no-payouts-waiting', 'No payout with a complete account waits for a file.')
    deps.faults.at('file:locked')
    const row = await addFile(deps, tx, rail, payments, by)
    deps.faults.at('file:added')
    return row
  })
  deps.faults.at('file:committed')
  return { ...file, ended: '0', rejection: null }
}

const accountOf = (deps: Deps, railName: string): string =>
  deps.rails.get(railName)?.bankAccount?.account ?? ''

/**
 * After a restore, a file that the restored state lacks may be at the bank already: the statements of the days after it
 * show its payments, which end the payouts. A debit of that time that is not explained yet may be such a payment.
 *
 * @param madeAt of a file that exists: one made after the restore is not lost.
 */
async function requireStatements(tx: Db<Tables>, account: string, madeAt?: Date): Promise<void> {
  const restored = await restoredAt(tx)
  if (!restored || (madeAt && madeAt > restored)) return
  const day = restored.toISOString().slice(0, 10)
  const until = new Date(restored.getTime() + BOOKED_WITHIN_DAYS * DAY_MS).toISOString().slice(0, 10)
  if (((await lastBooked(tx, account)) ?? '') < until)
    throw new Problem(
      'statements-missing',
      `The database was restored on ${day}, and a file that it lacks may be at the bank. Upload the statements up to ${until} first.`,
    )
  if (await hasUnexplainedDebit(tx, account, until))
    throw new Problem(
      'statements-missing',
      `The database was restored on ${day}, and a statement has a debit that is not explained yet: it may be a file that the database lacks. Find out what each such debit paid and decide about it first.`,
    )
}

/**
 * Those that no debit of a statement names: the others may be paid. Of a payout that was in a rejected file, all that was
 * booked under its code and the file's counts, since no line of it ended it by itself: what came back is not paid.
 */
async function unbooked(
  tx: Db<Tables>,
  account: string,
  payouts: readonly BankPayout[],
): Promise<BankPayout[]> {
  const rejected = await rejectedCodes(tx, payouts)
  const codesOf = ({ id, code }: BankPayout) => [code, ...(rejected.get(id) ?? [])]
  const [before, others] = [
    payouts.filter(({ id }) => rejected.has(id)),
    payouts.filter(({ id }) => !rejected.has(id)),
  ]
  const booked = new Set([
    ...(await namedByDebits(tx, account, others.flatMap(codesOf))),
    ...(await bookedOnBalance(tx, account, [...new Set(before.flatMap(codesOf))])),
  ])
  return payouts.filter(payout => !codesOf(payout).some(code => booked.has(code)))
}

/** What neither screening nor the customer's identity holds. */
async function withoutHeld(deps: Deps, tx: Db<Tables>, payments: readonly Payment[]): Promise<Payment[]> {
  const free: Payment[] = []
  for (const payment of payments) if (!(await isPayoutHeld(deps, tx, payment))) free.push(payment)
  return free
}

async function isPayoutHeld(deps: Deps, tx: Db<Tables>, { of, destination }: Payment): Promise<boolean> {
  const name = destination.dest_name ?? null
  const goesBack = of.kind === 'return'
  const transferId = of.transfer_id ?? (await transferOfOrder(tx, of.id))
  const transfer = transferId && !goesBack ? await findTransfer(tx, transferId) : null
  if (transfer && (await isRejected(tx, transfer))) return true
  // Who paid what goes back was compared as the payer of its transaction: a decision about them holds here too.
  if (transferId) {
    const beneficiary = goesBack ? undefined : (name ?? undefined)
    const mustWait = await isTransactionHeld(deps, tx, transferId, { goesBack, beneficiary })
    await bookBlocked(tx, 'rail_orders', { id: of.id, transfer_id: transferId }, mustWait)
    return mustWait
  }
  const subject = { kind: 'payout', id: of.id } as const
  return isHeld(deps, tx, subject, async () => [{ subject, role: 'payer', name }])
}

/** In a transaction of its own, so that hits stay where there is no file in the end. */
async function compareFirst(deps: Deps, rail: Rail, payoutsOf: (tx: Db<Tables>) => Promise<BankPayout[]>) {
  await deps.database.db
    .transaction()
    .execute(async tx => withoutHeld(deps, tx, await paymentsOf(deps, tx, rail, await payoutsOf(tx))))
  deps.wake.emit('conditions')
}

/** A list may have changed since the file was made. */
async function requireFree(
  deps: Deps,
  tx: Db<Tables>,
  payments: readonly Payment[],
  detail = 'A payout of this file is held. Cancel the file and make a new one.',
): Promise<void> {
  if ((await withoutHeld(deps, tx, payments)).length === payments.length) return
  throw new Problem('payout-file-decided', detail)
}

async function addFile(
  deps: Deps,
  tx: Db<Tables>,
  rail: Rail,
  payments: readonly Payment[],
  by: string,
): Promise<PayoutFile> {
  const from = rail.bankAccount
  if (!from) throw new Error(`the rail ${rail.name} has no bank account`)
  const code = await files.unusedCode(tx, payments)
  const at = deps.clock.now()
  const content = { code, currency: rail.currency, from, at, payments }
  const total = amountOf(payments.reduce((sum, { amount }) => sum + parseAmount(amount), 0n))
  const kind = rail.name.toUpperCase()
  const made =
    kind === 'SEPA'
      ? ({ format: 'pain.001', ending: 'xml', text: asPain001(content) } as const)
      : kind === 'ACH'
        ? ({ format: 'nacha', ending: 'ach', text: asNacha(content) } as const)
        : ({ format: 'csv', ending: 'csv', text: asIndianCsv(rail.name, content) } as const)
  const faults = faultsOf(made.format, made.text, payments)
  if (faults.length > 0)
    throw new Problem(
      'payout-file-invalid',
      `The file would not be right for the bank, so it was not made: ${faults.join('; ')}.`,
    )
  const file = {
    ...{ rail: rail.name, code, format: made.format, created_by: by, currency: rail.currency },
    file_name: `${rail.name}-${at.toISOString().slice(0, 10)}-${code}.${made.ending}`,
    sealed: files.sealFile(deps.sealer, code, made.text),
    digest: createHash('sha256').update(made.text).digest(),
    payouts: payments.length,
    total: formatAmount(total),
  }
  return files.addFile(
    tx,
    { ...file, ...(await createSheet(deps, tx, file, payments)) },
    payments.map(({ id }) => id),
  )
}

/**
 * Approves a file of which the person has seen the payments.
 *
 * @param sheet the hash of what they have seen.
 * @throws {Problem} `payout-file-not-found`, `payout-file-decided`, `payout-file-changed`, `second-person-needed`,
 *   `statements-missing`.
 */
export async function approvePayoutFile(
  deps: Deps,
  id: string,
  { by, sheet }: { by: string; sheet: string },
): Promise<files.ListedFile> {
  const { rail: name, code } = await files.findFile(deps.database.db, id)
  const rail = deps.rails.get(name)
  if (rail) await compareFirst(deps, rail, tx => lockPayoutsOfFile(tx, code))
  await deps.database.db.transaction().execute(async tx => {
    const file = await lockUndecided(tx, id)
    if (file.created_by === by) throw needsSecondPerson('You made this file.')
    await requireStatements(tx, accountOf(deps, file.rail), file.created_at)
    await requireUnpaid(deps, tx, file)
    const payments = rail ? await paymentsOf(deps, tx, rail, await lockPayoutsOfFile(tx, file.code)) : []
    await requireFree(deps, tx, payments)
    await requireSeen(deps, tx, file, sheet, payments)
    await files.approve(tx, deps.binder, file, by)
  })
  return files.findFile(deps.database.db, id)
}

/** A list may have changed since the file was approved. Once it was handed out, nobody can take it back. */
async function requireStillFree(deps: Deps, { rail: name, code }: files.ListedFile): Promise<void> {
  const rail = deps.rails.get(name)
  if (!rail) return
  const payoutsOf = (tx: Db<Tables>) => lockPayoutsOfFile(tx, code)
  await compareFirst(deps, rail, payoutsOf)
  await deps.database.db
    .transaction()
    .execute(async tx =>
      requireFree(deps, tx, await paymentsOf(deps, tx, rail, await payoutsOf(tx)), REJECT_IT),
    )
}

const REJECT_IT =
  'A payout of this file is held. Say that the file is rejected, and make a new one without it.'

/** The bytes of a file do not change, so one with a payout that the bank booked already would pay it again. */
async function requireUnpaid(deps: Deps, tx: Db<Tables>, file: PayoutFile): Promise<void> {
  const payouts = await lockPayoutsOfFile(tx, file.code)
  const account = accountOf(deps, file.rail)
  const isBooked = (await namedByDebits(tx, account, [file.code])).size > 0
  const unpaid = await unbooked(tx, account, payouts)
  if (!isBooked && unpaid.length === payouts.length && payouts.every(({ ended_at }) => ended_at === null))
    return
  throw new Problem(
    'payout-file-decided',
    'Statements have payouts of this file already. Cancel it and make a new one.',
  )
}

/** Its payouts wait for another file. */
export async function cancelPayoutFile(deps: Deps, id: string): Promise<files.ListedFile> {
  await deps.database.db.transaction().execute(async tx => {
    const file = await lockUndecided(tx, id)
    await files.cancel(tx, file.id)
  })
  return files.findFile(deps.database.db, id)
}

async function lockUndecided(tx: Db<Tables>, id: string): Promise<PayoutFile> {
  const file = await files.lockFile(tx, id)
  if (file.state === 'created') return file
  throw new Problem('payout-file-decided', `The file is ${file.state} already.`)
}

/**
 * Ends the payout of a withdrawal that is in no file, in the caller's transaction, so that the customer is refunded on the
 * ledger. False: it is in a file, has ended, or a debit of a statement may be it, so nothing changes.
 *
 * @throws {Problem} `statements-missing`.
 */
export async function refundWaitingPayout(deps: Deps, tx: Db<Tables>, transferId: string): Promise<boolean> {
  const payout = await lockPayoutOfTransfer(tx, transferId)
  if (!payout || payout.file_id !== null || payout.ended_at !== null) return false
  const account = accountOf(deps, payout.rail)
  await requireStatements(tx, account)
  if ((await unbooked(tx, account, [payout])).length === 0) return false
  await recordOrderEnd(deps, tx, {
    kind: 'failed',
    orderId: payout.id,
    reason: 'the anchor could not pay it out',
  })
  await endPayout(tx, payout.id)
  return true
}

/**
 * The bytes of an approved file: the same at each download.
 *
 * @throws {Problem} `payout-file-not-found`, `payout-file-decided`, `payout-file-changed`, `statements-missing`.
 */
export async function downloadPayoutFile(deps: Deps, id: string): Promise<{ name: string; bytes: Buffer }> {
  const { db } = deps.database
  const file = await files.findFile(db, id)
  if (file.state !== 'approved')
    throw new Problem(
      'payout-file-decided',
      `The file is ${file.state}, and only approved ones can be downloaded.`,
    )
  if (file.removed_at) throw new Problem('payout-file-not-found', `${removedText(file.removed_at)}.`)
  if (!files.isApproved(deps.binder, file))
    throw new Problem(
      'payout-file-changed',
      'This server did not take the approval that the file has. Find out who changed the database.',
    )
  if (file.rejection?.state === 'waiting')
    throw new Problem(
      'payout-file-decided',
      'Someone said that the bank rejected this file. Approve or dismiss that first.',
    )
  await requireStatements(db, accountOf(deps, file.rail), file.created_at)
  if (file.downloaded_at === null) await requireStillFree(deps, file)
  await files.noteDownload(db, file.id)
  return { name: file.file_name, bytes: Buffer.from(files.openFile(deps.sealer, file)) }
}
