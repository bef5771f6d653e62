import type { OperationRecord } from '@stellar/stellar-sdk/base'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { KeyRole, Tables } from '../tables.ts'
import { Refusal } from './refusal.ts'
import { readTransaction, requireSource, type Rules, type UsedSequence } from './transactions.ts'

/** What the funding account pays: XLM in stroops, and the fee with it. */
interface JudgedFunding {
  hash: Buffer
  uses: UsedSequence
  xlm: bigint
}

/** XLM that one account may get by one transaction: enough for its reserves and thousands of fees. */
const XLM_FOR_ONE = parseAmount('10')

/** An account of an anchor that the signer has a key of. */
interface OwnAccount {
  account: string
  role: KeyRole
}

/**
 * Judges what the control plane has the funding account pay: new accounts of anchors, or XLM to their distribution
 * accounts. Throws {@link Refusal}.
 *
 * @param findOwn which of these accounts are anchors' own
 */
export async function judgeFunding(
  envelope: string,
  rules: Rules,
  account: string,
  findOwn: (accounts: string[]) => Promise<OwnAccount[]>,
): Promise<JudgedFunding> {
  const { transaction, hash, uses } = readTransaction(envelope, rules, { payer: account, signer: account })
  requireSource(transaction, account)
  const own = await findOwn(
    transaction.operations.flatMap(operation => ('destination' in operation ? operation.destination : [])),
  )
  const paid = transaction.operations.map(operation => paidBy(operation, own))
  if (paid.length === 0 || new Set(paid.map(({ to }) => to)).size < paid.length) {
    throw new Refusal('wrong-operation', 'A transaction pays each of an anchor’s accounts at most once.')
  }
  // The control plane sets the maximum of a fee itself: fees count as what is paid.
  const xlm = paid.reduce((sum, { amount }) => sum + amount, uses.fee)
  return { hash, uses, xlm }
}

function paidBy(operation: OperationRecord, own: readonly OwnAccount[]): { to: string; amount: bigint } {
  const { source, type } = operation
  const roleOf = (destination: string) => own.find(({ account }) => account === destination)?.role
  const opens = type === 'createAccount' && roleOf(operation.destination) !== undefined
  const pays =
    type === 'payment' && operation.asset.isNative() && roleOf(operation.destination) === 'distribution'
  if (source !== undefined || !(opens || pays)) {
    throw new Refusal('wrong-operation', `${type} does not pay XLM to an account of an anchor.`)
  }
  const amount = parseAmount(type === 'createAccount' ? operation.startingBalance : operation.amount)
  if (amount > XLM_FOR_ONE) {
    throw new Refusal('per-payment', `An account gets at most ${formatAmount(XLM_FOR_ONE)} XLM.`)
  }
  return { to: operation.destination, amount }
}

interface Counted {
  anchorId: string
  uses: UsedSequence
  xlm: bigint
}

/**
 * Counts what the funding account pays before it is signed; of transactions with the same sequence number the largest
 * counts. Throws {@link Refusal} where all anchors together would exceed the limit of an hour.
 */
export async function countFunding(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  { anchorId, uses: { source: account, sequence }, xlm }: Counted,
): Promise<void> {
  const limit = parseAmount(config.funding.xlmPerHour)
  await database.db.transaction().execute(async tx => {
    // One at a time, whichever anchor it is for.
    await sql`select pg_advisory_xact_lock(hashtext('funding'))`.execute(tx)
    const { rows } = await sql<{ others: string; same: string }>`
      select coalesce(sum(xlm) filter (where signed_at > clock_timestamp() - interval '1 hour'
          and (account, sequence) <> (${account}, ${sequence}::numeric)), 0)::text as others,
        coalesce(max(xlm) filter (where (account, sequence) = (${account}, ${sequence}::numeric)), 0)::text as same
      from funding`.execute(tx)
    const same = BigInt(rows[0]?.same ?? 0)
    const largest = xlm > same ? xlm : same
    const total = amountOf(BigInt(rows[0]?.others ?? 0) + largest)
    if (total > limit) {
      throw new Refusal(
        'xlm-per-hour',
        `The funding account would have paid ${formatAmount(total)} XLM in the last hour. The limit is ${config.funding.xlmPerHour} (FUNDING_XLM_PER_HOUR).`,
      )
    }
    await tx
      .insertInto('funding')
      .values({ account, sequence, anchor_id: anchorId, xlm: String(largest) })
      .onConflict(conflict =>
        conflict
          .columns(['account', 'sequence'])
          .doUpdateSet({ xlm: String(largest), signed_at: sql<Date>`clock_timestamp()` }),
      )
      .execute()
  })
}

/** Removes what counts no more. */
export async function pruneFunding(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('funding')
    .where('signed_at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute()
}
