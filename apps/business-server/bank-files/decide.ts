import type {
  decideStatementLineAs,
  LineDecision,
  listLineCandidates,
  StatementLine,
} from '@windlass/contracts/anchor/bank-files.ts'
import type { OwnAccount } from '@windlass/contracts/anchor/journal.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { sql, type Transaction } from 'kysely'
import {
  actionsOf,
  addAction,
  finishAction,
  isKey,
  limitFor,
  requireSecond,
  waitingByLine,
} from '../money/approvals/approvals.ts'
import type { Deps } from '../deps.ts'
import { compareWithLedger, wakeAfterRailPayment } from '../payments/receive-rail-payment.ts'
import { thresholdInCurrency } from '../money/pricing/worth.ts'
import type { BankLine, StoredAction, Tables } from '../tables.ts'
import { awaitedDeposits } from '../transfers/find.ts'
import { isNamed, railsOf } from './accounts.ts'
import { type Explanation, explainLine, payersOf, type Undo, weighMatch } from './explain-line.ts'
import { payerNames } from './match.ts'
import { canReverse, undoDecision } from './reverse-line.ts'
import { findLine, lockLine, openLine, setOutcome, UNDECIDED } from './lines.ts'
import { likeLines, type LineOfFile, linesOfFiles } from './find-lines.ts'

/** Open deposits of the line's amount; those of a customer with the payer's name first. */
export async function lineCandidates(deps: Deps, id: string): Promise<AnswerOf<typeof listLineCandidates>> {
  const line = await findLine(deps.database.db, id)
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  if (line.direction === 'out' || rails.length === 0) return []
  const { name } = openLine(deps.sealer, line)
  const deposits = await awaitedDeposits(deps.database.db, rails, line.amount, 20)
  const candidates = await Promise.all(
    deposits.map(async each => ({
      transactionId: each.id,
      reference: each.reference ?? '',
      rail: each.rail,
      amount: each.fiat_amount && formatAmount(parseAmount(each.fiat_amount)),
      status: each.state,
      createdAt: each.created_at.toISOString(),
      samePayer: isNamed(name, await payerNames(deps, each)),
    })),
  )
  const order = ({ samePayer }: { samePayer: boolean | null }) => (samePayer ? 0 : samePayer === null ? 1 : 2)
  return candidates.sort((a, b) => order(a) - order(b))
}

/** Lines that a line may repeat. */
export async function lineTwins(deps: Deps, id: string): Promise<StatementLine[]> {
  const line = await findLine(deps.database.db, id)
  return lineForms(deps, await likeLines(deps.database.db, line, 20))
}

type Line = AnswerOf<typeof decideStatementLineAs>

/**
 * Takes a decision about a line under review, with all that follows from it, in one transaction; or writes it down for a
 * second person (docs/adr/0083). A match without anything that ties the two always needs one, everything else above the
 * limit of the settings, except a match that is tied and that nothing speaks against. An API key is no person: what needs
 * two is refused.
 *
 * @param by `operator:<id>` or `key:<id>`
 * @throws {Problem} `statement-line-not-found`, `statement-line-decided`, `transaction-not-found`, `second-person-needed`,
 *   `action-not-possible`, `validation-failed`.
 */
export async function decideLine(deps: Deps, id: string, by: string, decision: LineDecision): Promise<Line> {
  const explanation = explanationOf(decision)
  await findLine(deps.database.db, id)
  const payers = await payersOf(deps, explanation)
  await compareWithLedger(deps)
  return changing(deps, async tx => {
    const line = await lockLine(tx, id)
    if (line.state !== 'review')
      throw new Problem(
        'statement-line-decided',
        `The line does not wait for a decision: it is ${line.state}.`,
      )
    await requireNoneWaiting(tx, id)
    const twoPeople = await needsTwo(deps, tx, line, explanation, { by, payers })
    if (twoPeople && isKey(by))
      throw new Problem(
        'second-person-needed',
        'This decision needs two people, and an API key is none. Decide about the line in the founder console.',
      )
    const { kind, reason, transactionId, duplicateOf, account } = explanation
    const details = {
      ...(transactionId && { transactionId }),
      ...(duplicateOf && { duplicateOf }),
      ...(account && { account }),
    }
    const action = await addAction(deps, tx, { line_id: id }, { kind, reason, details, by, twoPeople })
    if (!twoPeople) return decide(deps, tx, line, action, by)
    await requireFeasible(tx, () => explainLine(deps, tx, line, explanation))
    return line
  })
}

/**
 * Takes back a decision about a line, which then waits for another one (docs/adr/0083). It needs two people where the
 * decision did, and above the limit of the settings.
 *
 * @throws {Problem} `statement-line-not-found`, `statement-line-decided`, `action-not-possible`.
 */
export async function reverseLine(
  deps: Deps,
  id: string,
  { reason, by }: { reason: string; by: string },
): Promise<Line> {
  await findLine(deps.database.db, id)
  return changing(deps, async tx => {
    const line = await lockLine(tx, id)
    if (!canReverse(line))
      throw new Problem(
        'action-not-possible',
        'No person decided about this line, so nothing can be reversed.',
      )
    await requireNoneWaiting(tx, id)
    const decision = await decisionOf(tx, line)
    const twoPeople = (decision?.two_people ?? false) || (await isAboveLimit(deps, tx, line, by))
    const action = await addAction(deps, tx, { line_id: id }, { kind: 'reverse', reason, by, twoPeople })
    if (!twoPeople) return reverse(deps, tx, line, action, by)
    await requireFeasible(tx, () => undoDecision(deps, tx, line, undoOf(decision)))
    return line
  })
}

/**
 * Approves or rejects what someone else asked for about a line.
 *
 * @throws {Problem} `statement-line-not-found`, `action-not-found`, `second-person-needed`, `action-not-possible`,
 *   `statement-line-decided`, `validation-failed`.
 */
export async function approveLine(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<Line> {
  await findLine(deps.database.db, id)
  if (approve) await compareWithLedger(deps)
  return changing(deps, async tx => {
    const line = await lockLine(tx, id)
    const action = (await waitingByLine(tx, [id])).get(id)
    if (!action) throw new Problem('action-not-found', 'Nothing about this line waits for a second person.')
    if (!approve) {
      await finishAction(tx, action, 'rejected', by)
      return line
    }
    await requireSecond(deps, tx, action, by)
    return action.kind === 'reverse'
      ? reverse(deps, tx, line, action, by)
      : decide(deps, tx, line, action, by)
  })
}

async function changing(deps: Deps, act: (tx: Transaction<Tables>) => Promise<BankLine>): Promise<Line> {
  const line = await deps.database.db.transaction().execute(act)
  deps.faults.at('line:decided')
  wakeAfterRailPayment(deps)
  deps.wake.emit('conditions')
  const [form] = await lineForms(deps, [line])
  if (!form) throw new Error(`no form of line ${line.id}`)
  return form
}

function explanationOf(given: LineDecision): Explanation {
  const { decision, as, transactionId, duplicateOf, account, reason } = given
  if (account !== undefined && (decision !== 'ignore' || as !== 'own'))
    throw invalid('account', "is of the business's own money alone")
  if (decision !== 'ignore') return { kind: decision, transactionId, reason }
  if (as === undefined) throw invalid('as', 'is needed to ignore a line')
  return { kind: as, duplicateOf, account, reason }
}

async function requireNoneWaiting(tx: Db<Tables>, id: string): Promise<void> {
  if ((await waitingByLine(tx, [id])).size === 0) return
  throw new Problem(
    'statement-line-decided',
    'A decision about this line waits for a second person. Approve or reject that one first.',
  )
}

interface Asking {
  by: string
  payers: readonly string[]
}

async function needsTwo(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  explanation: Explanation,
  { by, payers }: Asking,
): Promise<boolean> {
  if (explanation.kind === 'match') {
    const { ties, doubts, twoPeople } = await weighMatch(deps, tx, line, explanation, payers)
    if (ties.length === 0 || twoPeople) return true
    if (doubts.length === 0) return false
  }
  return isAboveLimit(deps, tx, line, by)
}

async function isAboveLimit(deps: Deps, tx: Db<Tables>, line: BankLine, by: string): Promise<boolean> {
  const above = await limitFor(deps, tx, by)
  return above !== null && parseAmount(line.amount) > thresholdInCurrency(deps.config, above, line.currency)
}

/** Refuses at once what a second person could not approve either: it is done, and undone. */
export async function requireFeasible(tx: Transaction<Tables>, act: () => Promise<unknown>): Promise<void> {
  await sql`savepoint feasible`.execute(tx)
  await act()
  await sql`rollback to savepoint feasible`.execute(tx)
}

async function decide(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  action: StoredAction,
  by: string,
): Promise<BankLine> {
  const { kind, reason, details } = action
  if (kind === 'reverse' || line.state !== 'review')
    throw new Problem('statement-line-decided', `The line is ${line.state} by now.`)
  const { transactionId, duplicateOf } = details
  const account = details.account as Explanation['account']
  const explanation = { kind: kind as Explanation['kind'], transactionId, duplicateOf, account, reason }
  const { outcome, undo } = await explainLine(deps, tx, line, explanation)
  await finishAction(tx, action, 'done', by, { ...undo })
  deps.faults.at('line:explained')
  const decided = { decided_by: by, decided_at: deps.clock.now(), why: reason }
  return setOutcome(tx, line.id, { ...outcome, ...decided })
}

async function reverse(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  action: StoredAction,
  by: string,
): Promise<BankLine> {
  await undoDecision(deps, tx, line, undoOf(await decisionOf(tx, line)))
  await finishAction(tx, action, 'done', by)
  deps.faults.at('line:reversed')
  return setOutcome(tx, line.id, { ...UNDECIDED, state: 'review', why: REVERSED })
}

const REVERSED = 'An earlier decision about it was reversed.'

/** The decision that counts; null: an earlier release took it. */
async function decisionOf(tx: Db<Tables>, { id }: BankLine): Promise<StoredAction | null> {
  const actions = await actionsOf(tx, { line_id: id }, 20)
  const newest = actions.find(({ state }) => state === 'done')
  return newest && newest.kind !== 'reverse' ? newest : null
}

const undoOf = (decision: StoredAction | null): Undo => decision?.undo ?? {}

/** Lines as operators and developers see them, with what waits for a second person. */
export async function lineForms(deps: Deps, rows: readonly BankLine[]): Promise<StatementLine[]> {
  const waiting = await waitingByLine(
    deps.database.db,
    rows.map(({ id }) => id),
  )
  const others = await othersOf(deps.database.db, rows)
  return rows.map(row =>
    lineForm(deps, row, waiting.get(row.id), others.get(row.possible_duplicate_of ?? '')),
  )
}

async function othersOf(db: Db<Tables>, rows: readonly BankLine[]): Promise<Map<string, LineOfFile>> {
  const found = await linesOfFiles(
    db,
    rows.flatMap(({ possible_duplicate_of: id }) => id ?? []),
  )
  return new Map(found.map(line => [line.id, line]))
}

function lineForm(
  { sealer }: Pick<Deps, 'sealer'>,
  row: BankLine,
  waiting: StoredAction | undefined,
  other: LineOfFile | undefined,
): StatementLine {
  const { text, name, account, bank } = openLine(sealer, row)
  return {
    id: row.id,
    statementId: row.statement_id,
    rail: row.rail,
    bookedOn: row.booked_on,
    direction: row.direction,
    amount: formatAmount(parseAmount(row.amount)),
    currency: row.currency,
    bankReference: row.bank_reference,
    text,
    party: { name, account, bank },
    status: row.state,
    reason: row.why,
    reasonCode: row.review_code,
    possibleDuplicateOf: other
      ? {
          ...{ id: other.id, statementId: other.statement_id, fileName: other.file_name },
          ...{ bookedOn: other.booked_on, bankReference: other.bank_reference, status: other.state },
        }
      : null,
    transactionId: row.transfer_id,
    payoutId: row.order_id,
    duplicateOf: row.duplicate_of,
    account: row.own_account,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
    pending: waiting ? pendingForm(waiting) : null,
    canReverse: canReverse(row),
    createdAt: row.created_at.toISOString(),
    removedAt: row.removed_at?.toISOString() ?? null,
  }
}

const pendingForm = (action: StoredAction): NonNullable<StatementLine['pending']> => ({
  kind: action.kind as NonNullable<StatementLine['pending']>['kind'],
  transactionId: action.details.transactionId ?? null,
  duplicateOf: action.details.duplicateOf ?? null,
  account: (action.details.account as OwnAccount | undefined) ?? null,
  reason: action.reason,
  requestedBy: action.requested_by,
  requestedAt: action.requested_at.toISOString(),
})
