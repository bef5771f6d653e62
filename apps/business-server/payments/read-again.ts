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
  const ended = await endedGap(deps, from)
  if (ended !== null)
    throw impossible(
      `A person ended the incident about the ledgers before ${ended}, and what they held more is booked: credited again, it would count twice.`,
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

/** Where the last ledgers end whose payments a person settled, from this one on; null: none are. */
async function endedGap({ database }: Deps, from: number): Promise<number | null> {
  const elder = sql<number>`max((details->>'elder')::bigint)::float8`
  const row = await database.db
    .selectFrom('ledger_incidents')
    .select(elder.as('elder'))
    .where('kind', '=', 'history-gap')
    .where('resolved_by', 'is not', null)
    .where(sql<boolean>`(details->>'elder')::bigint > ${from}`)
    // After a reset of the network its ledgers are others.
    .where(
      sql<boolean>`not exists (select from ledger_incidents reset
        where reset.kind = 'network-reset' and reset.found_at > ledger_incidents.resolved_at)`,
    )
    .executeTakeFirst()
  return row?.elder ?? null
}
