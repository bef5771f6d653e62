import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { openLine } from '../../bank-files/lines.ts'
import { linesOfTransfer } from '../../bank-files/find-lines.ts'
import type { Deps } from '../../deps.ts'
import { actionsOf } from '../../money/approvals/approvals.ts'
import { entryForm, listEntries } from '../../money/journal/journal.ts'
import { listPaymentsOf } from '../../payments/ledger-payments.ts'
import { ordersOf } from '../../payments/rail-orders.ts'
import { proofOf } from '../../payments/proofs.ts'
import { hitsAbout } from '../../people/compliance/hits.ts'
import { callsOf } from '../../outgoing/sep-calls/sep-calls.ts'
import type { Tables, Transfer } from '../../tables.ts'
import { openDestination } from '../../transfers/destination.ts'
import { developerForm } from '../../transfers/developer-form.ts'
import { findTransfer, stepsOf } from '../../transfers/find.ts'
import { snapshotsOf } from '../../transfers/snapshots.ts'
import { findRecord } from '../../transfers/travel-rule/records.ts'

const LISTED = 100

/** Everything about a transaction. Throws `transaction-not-found`. */
export async function evidenceOf(deps: Deps, id: string): Promise<object> {
  const { db } = deps.database
  const transfer = await findTransfer(db, id)
  if (!transfer) throw new Problem('transaction-not-found', 'There is no transaction with this id.')
  const { plan, network, accounts } = deps.config.anchor
  const journal = await listEntries(db, { transactionId: id, limit: LISTED })
  const record = await findRecord(deps, id)
  const { account, account_memo: memo } = transfer
  return {
    anchor: {
      name: plan.organizationName,
      homeDomain: plan.homeDomain,
      network: network.passphrase,
      accounts,
    },
    transaction: developerForm(transfer),
    agreed: {
      ...{
        quote: transfer.quote_id,
        rate: transfer.rate,
        exchange: transfer.exchange,
        terms: transfer.terms,
      },
      ...{ amount: transfer.amount, fee: transfer.fee, money: transfer.fiat_amount },
      destination: { ...openDestination(deps.sealer, transfer) },
      destinationRemovedAt: transfer.account_removed_at?.toISOString() ?? null,
    },
    steps: (await stepsOf(db, id)).map(({ to_state: status, why, at }) => ({
      status,
      why,
      at: at.toISOString(),
    })),
    known: await snapshotsOf(deps, id),
    screening: await hitsAbout(db, deps.sealer, id),
    travelRule: record?.document ?? null,
    travelFacts: record?.facts ?? null,
    bank: await bankOf(deps, db, id),
    approvals: (await actionsOf(db, { transfer_id: id }, LISTED)).map(each => ({
      ...{ kind: each.kind, state: each.state, reason: each.reason },
      ...{ requestedBy: each.requested_by, requestedAt: each.requested_at.toISOString() },
      ...{ decidedBy: each.decided_by, decidedAt: each.decided_at?.toISOString() ?? null },
    })),
    ledger: await ledgerOf(db, transfer),
    /** What wallets and their customers heard. */
    messages: await callsOf(db, id),
    /** What the platform emailed the customer about their account here; no email is about a transaction alone. */
    emails: (await deps.customerRegistry.emailsTo({ account, memo }))?.toReversed() ?? null,
    journal: journal.map(entryForm).toReversed(),
  }
}

/** The lines of statements, with the file that each came in and who said what it is. */
async function bankOf(deps: Deps, db: Db<Tables>, id: string): Promise<object[]> {
  const orders = (await ordersOf(db, id)).map(each => each.id)
  const lines = await linesOfTransfer(db, id, orders)
  return lines.map(line => {
    const { name, account, text } = openLine(deps.sealer, line)
    return {
      ...{
        id: line.id,
        rail: line.rail,
        direction: line.direction,
        amount: line.amount,
        currency: line.currency,
      },
      ...{ bookedOn: line.booked_on, valuedOn: line.valued_on, bankReference: line.bank_reference },
      ...{ party: name, partyAccount: account, text, removedAt: line.removed_at?.toISOString() ?? null },
      ...{ state: line.state, why: line.why },
      decidedBy: line.decided_by ?? 'rules',
      decidedAt: line.decided_at?.toISOString() ?? null,
      file: { name: line.file_name, sha256: line.digest.toString('hex'), readBy: line.read_by },
    }
  })
}

async function ledgerOf(
  db: Db<Tables>,
  { id, ledger_hash: hash, ledger_memo: memo }: Transfer,
): Promise<object> {
  return { hash, memo, payments: await listPaymentsOf(db, id), proof: await proofOf(db, id) }
}
