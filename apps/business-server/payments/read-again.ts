import type { readLedgerAgain } from '@windlass/contracts/anchor/business-server.ts'
import type { AnswerOf, BodyOf } from '@windlass/contracts/endpoint.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { readPosition } from './position.ts'

/**
 * Has the payments to the anchor's account read again from a ledger on, as a person asks who has seen that some were missed.
 * What was received is received once (docs/adr/0199).
 *
 * @throws {Problem} `action-not-possible` where that ledger was not read yet, or Horizon no longer has it
 */
export async function readAgain(
  deps: Deps,
  { from, by, reason }: BodyOf<typeof readLedgerAgain>,
): Promise<AnswerOf<typeof readLedgerAgain>> {
  const { ledger } = await readPosition(deps)
  if (!ledger || from > ledger.sequence)
    throw impossible(`The ledger was read up to ${ledger?.sequence ?? 'none'} only.`)
  const { elder } = await deps.routineHorizon.history().catch((error: unknown) => {
    throw unavailable('The ledger', error)
  })
  if (from < elder)
    throw impossible(
      `Horizon has no ledger before ${elder}. Set HORIZON_URL to one with a longer history for as long as it takes.`,
    )
  const before = String((BigInt(from) << 32n) - 1n)
  await deps.database.db
    .updateTable('observed')
    .set({ cursor: before })
    .where('account', '=', deps.config.anchor.accounts.distribution)
    .where(sql<boolean>`cursor::numeric > ${before}::numeric`)
    .execute()
  deps.logger.warn({ from, by, reason }, 'payments are read again')
  deps.wake.emit('ledger')
  return { from, readUpTo: ledger.sequence }
}

const impossible = (why: string): Problem => new Problem('action-not-possible', why)
