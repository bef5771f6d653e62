import { assetField, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { isBeyondHistory, shownBySecond, type StoredEnvelope } from '@windlass/stellar/settle.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { balanceOf, unitOf } from '../money/journal/journal.ts'
import type { LedgerIncident, LedgerPayment, Tables } from '../tables.ts'
import { assetBalance } from '../money/treasury/treasury.ts'
import { isUpkeep } from './channels.ts'
import { bindDead, envelopesOf } from './envelopes.ts'
import { requireReset, startOver } from './chain.ts'
import { bookNetworkFees } from './network-fees.ts'
import { proveHeld } from './held-before.ts'
import { releaseHeld } from './release-held.ts'
import { acceptWithoutProof } from './proofs.ts'
import { endIncident, openIncident, openIncidents, resolveIncident, type Outcome } from './incidents.ts'
import { endUnrecorded } from './unrecorded.ts'

/** After an envelope's time bounds, Horizon's instances agree about it. */
const SETTLED_SECONDS = 120

const settledAt = (maxTime: number): Date => new Date((maxTime + SETTLED_SECONDS) * 1_000)

/**
 * Opens an incident for a payment that is never signed again by itself, as nothing proves what became of its envelope: its
 * sequence number was used in ledgers that no Horizon has, its amount left the account though Horizon shows no such
 * transaction, or one of two sources alone shows it as applied. True: the payment waits for an operator.
 */
export async function reportUnproven(deps: Deps, payment: LedgerPayment): Promise<boolean> {
  const envelope = await envelopesOf(deps, payment.id).current()
  if (!envelope || envelope.applied) return false
  const second = await saidBySecond(deps, envelope).catch(() => null)
  const contradicted = second !== null || (await isContradicted(deps, payment, envelope).catch(() => false))
  if (!contradicted && !(await isBeyondHistory(envelope, historyOf(deps)).catch(() => false))) return false
  const { db } = deps.database
  const { asset } = payment
  const amount = formatAmount(parseAmount(payment.amount))
  const { unit, difference } = await compared(deps, asset)
  await openIncident(db, {
    kind: 'unproven-payment',
    subject: envelope.hash,
    details: {
      payment: payment.id,
      transaction: envelope.hash,
      sequence: envelope.sequence,
      amount,
      unit,
      destination: payment.destination,
      ...assetField(asset),
      ...(difference === null ? {} : { difference }),
      ...(contradicted ? { contradicted } : {}),
      ...(second ? { secondSource: second } : {}),
    },
  })
  return true
}

/** Applied; not there; there with another result, place or time; or in ledgers that it no longer has. */
type SaidBySecond = 'applied' | 'missing' | 'differs' | 'gone'

/** What the second source says against Horizon, which says the opposite; null: nothing yet. */
async function saidBySecond(
  { horizon, clock }: Deps,
  envelope: StoredEnvelope,
): Promise<SaidBySecond | null> {
  if (!horizon.second) return null
  const found = await horizon.transaction(envelope.hash)
  if (!found?.successful)
    return (await horizon.second.transaction(envelope.hash))?.successful ? 'applied' : null
  // Until then it may still be applied: a "No" would have it paid twice.
  if (clock.now() <= settledAt(envelope.maxTime)) return null
  const opinion = await shownBySecond(envelope, found, horizon)
  if (opinion === 'same') return null
  if (opinion !== 'differs') return opinion === 'gone' ? 'gone' : 'missing'
  return (await horizon.second.transaction(envelope.hash)) ? 'differs' : 'missing'
}

async function isContradicted(
  deps: Deps,
  payment: LedgerPayment,
  { maxTime }: Pick<StoredEnvelope, 'maxTime'>,
): Promise<boolean> {
  const { closedAt } = await deps.horizon.head()
  return closedAt > settledAt(maxTime) && (await lacksPayment(deps, payment))
}

/**
 * Whether the distribution account holds less than the journal says, as after a payment that is not recorded: such a
 * payment may have been made, whatever Horizon says of its transaction. XLM is not in the journal.
 */
export async function lacksPayment(deps: Deps, { asset, purpose }: LedgerPayment): Promise<boolean> {
  if (asset === 'native' || purpose === 'reclaim' || isUpkeep({ purpose })) return false
  await bookNetworkFees(deps)
  const recorded = await balanceOf(deps.database.db, 'treasury', unitOf(asset))
  return (await assetBalance(deps, asset)) < recorded
}

/** What the account holds beyond the journal, which says whether a payment was applied: nothing of XLM, which the journal does not hold. */
async function compared(deps: Deps, asset: LedgerPayment['asset']) {
  if (asset === 'native') return { unit: 'XLM', difference: null }
  await bookNetworkFees(deps)
  const { code: unit } = servedAsset(deps.config.anchor, asset)
  const recorded = await balanceOf(deps.database.db, 'treasury', unitOf(asset))
  return { unit, difference: formatAmount(subtract(await assetBalance(deps, asset), recorded)) }
}

/** The longest history there is. */
function historyOf({ horizon, history }: Deps) {
  const old = history ?? horizon
  return {
    account: (id: string) => horizon.account(id),
    history: () => old.history(),
    ledger: (sequence: number) => old.ledger(sequence),
    second: horizon.second ?? null,
  }
}

/** The transaction was found: its incident is resolved. */
export async function endUnproven(tx: Db<Tables>, hash: string): Promise<void> {
  await endIncident(tx, 'unproven-payment', hash, 'transaction-applied')
}

/**
 * Closes an incident as an operator says. Of an unproven payment the outcome decides: `applied` ends it as paid,
 * `not-applied` has it signed again. Of a held one: `applied` keeps it, `not-applied` sends it back. Of another chain:
 * `applied` starts over on it, `not-applied` has Horizon asked again.
 *
 * @param by `operator:<id>`, or an API key's id
 * @throws {Problem} `ledger-incident-not-found`, `validation-failed` where an outcome is missing or said too early,
 *   `reset-not-proven`, `second-person-needed` where a server of another release held it
 */
export async function resolveByOperator(
  deps: Deps,
  id: string,
  by: string,
  { resolution, outcome }: { resolution: string; outcome?: Outcome },
): Promise<LedgerIncident> {
  const saysReset = outcome === 'applied' && (await isOtherChain(deps, id))
  if (saysReset) await requireReset(deps)
  const row = await deps.database.db.transaction().execute(async tx => {
    const waits = await proveHeld(deps, tx, id, { by, outcome })
    if (waits) return waits
    const resolved = await resolveIncident(tx, id, { by, resolution })
    if (resolved.kind === 'unrecorded-payment') await endUnrecorded(tx, resolved)
    if (!NEEDS_OUTCOME.has(resolved.kind)) return resolved
    if (outcome === undefined) throw invalid('outcome', 'must be applied or not-applied')
    if (resolved.kind === 'other-chain') {
      if (saysReset) await startOver(deps, tx)
      return resolved
    }
    if (resolved.kind === 'held-receipt') {
      await releaseHeld(deps, tx, resolved, outcome)
      return resolved
    }
    if (outcome === 'applied') await acceptWithoutProof(tx, resolved.subject)
    else await requireSettled(deps, tx, resolved.subject)
    await tx
      .updateTable('ledger_envelopes')
      .set({ state: outcome === 'applied' ? 'applied' : 'dead', why: `an operator said: ${resolution}` })
      .where('hash', '=', resolved.subject)
      // One that is over without a proof counts as open (envelopes.ts).
      .where(sql<boolean>`(state = 'open' or (state = 'dead' and ended is null))`)
      .execute()
    if (outcome === 'not-applied') await bindDead(deps, tx, [resolved.subject])
    await tx
      .updateTable('ledger_payments')
      .set({ next_try_at: sql<Date>`now()` })
      .where('state', '=', 'queued')
      .where(
        'id',
        'in',
        tx.selectFrom('ledger_envelopes').select('payment_id').where('hash', '=', resolved.subject),
      )
      .execute()
    return resolved
  })
  if (row instanceof Problem) throw row
  for (const work of ['ledger', 'ledgerPayments', 'railOrders'] as const) deps.wake.emit(work)
  return row
}

/** Throws `validation-failed` while a transaction may still be applied: it would be paid twice. */
async function requireSettled({ clock }: Deps, tx: Db<Tables>, hash: string): Promise<void> {
  const row = await tx
    .selectFrom('ledger_envelopes')
    .select('max_time')
    .where('hash', '=', hash)
    .executeTakeFirst()
  const at = row && settledAt(Number(row.max_time))
  if (at && clock.now() <= at)
    throw invalid(
      'outcome',
      `may be not-applied from ${at.toISOString()} on: until then the transaction may still be applied`,
    )
}

const NEEDS_OUTCOME: ReadonlySet<LedgerIncident['kind']> = new Set([
  'unproven-payment',
  'held-receipt',
  'other-chain',
])

const isOtherChain = async ({ database }: Deps, id: string): Promise<boolean> =>
  (await openIncidents(database.db, 'other-chain')).some(incident => incident.id === id)
