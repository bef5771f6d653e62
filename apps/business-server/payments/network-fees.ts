import { servesXlm } from '@windlass/contracts/internal/served-assets.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { PAGE, type AccountTransaction } from '@windlass/stellar/horizon.ts'
import { readEnvelope } from '@windlass/stellar/read-envelope.ts'
import type { Deps } from '../deps.ts'
import { recordNetworkFees } from '../money/journal/ledger-entries.ts'
import type { Tables } from '../tables.ts'
import { countResets } from './incidents.ts'
import { requireClosed } from './newest-ledger.ts'

/**
 * Records what the network charged the distribution account since the last look, failed transactions too, where XLM is in
 * the journal: fees are the business's costs, so that the journal has what the account has. Throws {@link LedgerError}.
 */
export async function bookNetworkFees(deps: Deps): Promise<void> {
  if (!servesXlm(deps.config.anchor)) return
  const { distribution } = deps.config.anchor.accounts
  for (;;) {
    const { db } = deps.database
    const cursor = await readCursor(db, distribution)
    const page = await deps.routineHorizon.transactionsOf(distribution, cursor ?? '', 'asc')
    const last = page.at(-1)
    if (!last) return
    await requireClosed(deps.horizon, page)
    const fees = page.reduce((sum, each) => sum + paidBy(deps, each), 0n)
    const isBooked = await db.transaction().execute(async tx => {
      // Another server of the anchor may have booked the page meanwhile.
      if ((await lockCursor(tx, distribution)) !== cursor) return false
      await recordNetworkFees(tx, `${last.hash}:${await countResets(tx)}`, fees)
      await tx
        .updateTable('observed')
        .set({ fees_cursor: last.cursor })
        .where('account', '=', distribution)
        .execute()
      return true
    })
    if (!isBooked || page.length < PAGE) return
  }
}

/** Stroops that the distribution account paid for a transaction. */
function paidBy({ config: { anchor } }: Deps, { xdr, feeCharged }: AccountTransaction): bigint {
  if (xdr === null) return 0n
  const { feeSource } = readEnvelope(xdr, anchor.network.passphrase)
  return baseAccount(feeSource) === anchor.accounts.distribution ? feeCharged : 0n
}

async function readCursor(db: Db<Tables>, account: string): Promise<string | null> {
  const query = db.selectFrom('observed').select('fees_cursor').where('account', '=', account)
  return (await query.executeTakeFirst())?.fees_cursor ?? null
}

async function lockCursor(tx: Db<Tables>, account: string): Promise<string | null> {
  const nothing = { caught_up_at: null, ledger_sequence: null, ledger_hash: null, ledger_closed_at: null }
  await tx
    .insertInto('observed')
    .values({ account, cursor: '0', ...nothing })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const query = tx.selectFrom('observed').select('fees_cursor').where('account', '=', account).forUpdate()
  return (await query.executeTakeFirst())?.fees_cursor ?? null
}
