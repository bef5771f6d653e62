import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { sql } from 'kysely'
import { bindEach, failWith } from '../bind-listed.ts'
import type { Deps } from '../deps.ts'
import { bindFact, type FactKind, isFactBound } from '../money/bound-facts/bound-facts.ts'
import { sorted } from '../row-text.ts'
import { needsSecondPerson } from '../second-person.ts'
import type { LedgerIncident, Tables } from '../tables.ts'
import { isUpgrading } from '../transfers/bound-terms.ts'
import { type Held, type HeldPayment, heldReceipts, type Outcome, type RailReceipt } from './incidents.ts'

/*
 * What a server of the release before held beside this one, or after a way back to it, has no proof. Receipts say the same, of
 * which a login to the database changes nothing, but which it may write: so two people say what becomes of it (docs/adr/0200).
 */

type Facts = Pick<Deps, 'sealer' | 'binder'>

/** What the first of two people says of it. */
export const saidOfHeld: FactKind = {
  kind: 'said-of-held',
  rowOf: async (_, tx, id) => {
    const row = await tx.selectFrom('ledger_incidents').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? [row.record?.toString() ?? null, sorted(row.details.said ?? {})] : null
  },
}

/**
 * Proves a held payment that this server did not hold, in the caller's transaction, where two people say the same of it.
 *
 * @returns what the first of them hears, whose word is kept; null: nothing is to be kept
 */
export async function proveHeld(
  deps: Facts,
  tx: Db<Tables>,
  id: string,
  { by, outcome }: { by: string; outcome: Outcome | undefined },
): Promise<Problem | null> {
  const incident = await lockHeld(tx, id)
  if (!incident || (await isHeldBound(deps, tx, incident))) return null
  const record = await asReceived(tx, incident)
  if (record === null || outcome === undefined || !by.startsWith('operator:')) return null
  const said = incident.details.said as { by: string; outcome: Outcome } | undefined
  if (said?.outcome === outcome && said.by !== by && (await isFactBound(deps, tx, saidOfHeld, id))) {
    await tx.updateTable('ledger_incidents').set({ record }).where('id', '=', id).execute()
    await bindFact(deps, tx, heldReceipts, incident.subject)
    return null
  }
  const details = JSON.stringify({ ...incident.details, said: { by, outcome } })
  await tx.updateTable('ledger_incidents').set({ details }).where('id', '=', id).execute()
  await bindFact(deps, tx, saidOfHeld, id)
  return needsSecondPerson('Another release held this payment. What you said of it is kept.')
}

/** Whether this server held it, or one of the release before during an upgrade: that is bound here. */
async function isHeldBound(deps: Facts, tx: Db<Tables>, incident: LedgerIncident): Promise<boolean> {
  if (await isFactBound(deps, tx, heldReceipts, incident.subject)) return true
  if (!(await isUpgrading(tx)) || (await asReceived(tx, incident)) === null) return false
  await bindFact(deps, tx, heldReceipts, incident.subject)
  return true
}

/** Binds what a server of the release before held during an upgrade; nothing once that is over. */
export async function bindHeldOfUpgrade(deps: Facts & Pick<Deps, 'database' | 'logger'>): Promise<void> {
  const { db } = deps.database
  if (!(await isUpgrading(db))) return
  const held = db
    .selectFrom('ledger_incidents')
    .select('id')
    .where('kind', '=', 'held-receipt')
    .where('resolved_at', 'is', null)
    // What is older was listed.
    .where('found_at', '>', sql<Date>`now() - interval '1 hour'`)
  const bind = async (tx: Db<Tables>, id: string): Promise<void> => {
    const incident = await lockHeld(tx, id)
    if (incident) await isHeldBound(deps, tx, incident)
  }
  failWith(await bindEach(deps, await held.execute(), bind))
}

const lockHeld = (tx: Db<Tables>, id: string): Promise<LedgerIncident | undefined> =>
  tx
    .selectFrom('ledger_incidents')
    .selectAll()
    .where(sql`id::text`, '=', id)
    .where('kind', '=', 'held-receipt')
    .where('resolved_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

/** What is kept of it, as far as receipts say the same; null: they do not. */
async function asReceived(tx: Db<Tables>, { record }: LedgerIncident): Promise<Buffer | null> {
  const held = parseHeld(record)
  if (held === null) return null
  if ('rail' in held) return (await isRailReceipt(tx, held.rail)) ? record : null
  const payments = paymentsOf(held)
  for (const payment of payments) if (!(await isLedgerReceipt(tx, payment))) return null
  const plain = payments.map(withoutMuxed)
  return Buffer.from(JSON.stringify('merges' in held ? { merges: plain } : { ledger: plain[0] }))
}

/** Null also where someone wrote what is no payment. */
function parseHeld(record: Buffer | null): Held | null {
  try {
    const held = JSON.parse(String(record)) as Held
    for (const { amount, id, hash, ...payment } of paymentsOf(held)) {
      parseAmount(amount)
      baseAccount(payment.returnTo)
      if (typeof id !== 'string' || typeof hash !== 'string') return null
    }
    if ('rail' in held) parseAmount(held.rail.amount)
    return held
  } catch {
    return null
  }
}

function paymentsOf(held: Held): HeldPayment[] {
  if ('rail' in held) return []
  return 'merges' in held ? held.merges : [held.ledger]
}

/** No receipt has the ids of muxed addresses, which say whose money it is at a custodian. */
const withoutMuxed = (payment: HeldPayment): HeldPayment => ({
  ...payment,
  ...{ returnTo: baseAccount(payment.returnTo), muxedId: null },
})

const isLedgerReceipt = (tx: Db<Tables>, payment: HeldPayment): Promise<boolean> =>
  exists(
    tx
      .selectFrom('ledger_receipts')
      .select('id')
      .where('id', '=', payment.id)
      .where('hash', '=', payment.hash)
      .where('outcome', '=', 'held')
      .where('sender', '=', baseAccount(payment.returnTo))
      .where('amount', '=', formatAmount(parseAmount(payment.amount)))
      .where('asset', 'is not distinct from', payment.asset)
      .where('memo', 'is not distinct from', payment.memo)
      .where('memo_type', 'is not distinct from', payment.memoType),
  )

const isRailReceipt = (tx: Db<Tables>, receipt: RailReceipt): Promise<boolean> =>
  exists(
    tx
      .selectFrom('rail_receipts')
      .select('payment_id')
      .where('rail', '=', receipt.rail)
      .where('payment_id', '=', receipt.paymentId)
      .where('outcome', '=', 'held')
      .where('amount', '=', formatAmount(parseAmount(receipt.amount)))
      .where('currency', '=', receipt.currency),
  )
