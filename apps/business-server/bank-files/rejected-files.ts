import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { requireAsked } from '../money/bound-facts/bound-facts.ts'
import * as files from '../rails/bank-file/files.ts'
import { lockPayoutsOfFile } from '../rails/bank-file/payouts.ts'
import { needsSecondPerson } from '../second-person.ts'
import type { PayoutFile, Tables } from '../tables.ts'

/**
 * Writes down that the bank rejected an approved file. It changes once a second person approves that; until then it is not
 * downloaded.
 *
 * @throws {Problem} `payout-file-not-found`, `payout-file-decided`.
 */
export async function rejectPayoutFile(
  deps: Deps,
  id: string,
  { reason, by }: { reason: string; by: string },
): Promise<files.ListedFile> {
  await deps.database.db.transaction().execute(async tx => {
    const file = await lockApproved(tx, id)
    await requireUnended(tx, file)
    if (await files.waitingRejection(tx, file.id))
      throw new Problem('payout-file-decided', 'Someone said already that the bank rejected this file.')
    await files.addRejection(deps, tx, { file_id: file.id, reason, requested_by: by })
  })
  deps.wake.emit('conditions')
  return files.findFile(deps.database.db, id)
}

/**
 * Approves or dismisses that the bank rejected a file. In the same transaction all its payouts that no statement ended wait
 * for another file, or for an operator who refunds them.
 *
 * @throws {Problem} `payout-file-not-found`, `payout-file-decided`, `second-person-needed`.
 */
export async function decideFileRejection(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<files.ListedFile> {
  await deps.database.db.transaction().execute(async tx => {
    const file = await lockApproved(tx, id)
    const rejection = await files.waitingRejection(tx, file.id)
    if (!rejection) throw new Problem('payout-file-decided', 'Nobody said that the bank rejected this file.')
    if (!approve) return files.decideRejection(tx, rejection, 'dismissed', by)
    if (rejection.requested_by === by) throw needsSecondPerson('You said that the bank rejected this file.')
    await requireAsked(deps, tx, files.saidRejections, rejection.id)
    await requireUnended(tx, file)
    deps.faults.at('rejection:locked')
    await files.decideRejection(tx, rejection, 'done', by)
    await files.reject(tx, file.id)
    deps.faults.at('rejection:written')
  })
  deps.faults.at('rejection:committed')
  deps.wake.emit('conditions')
  return files.findFile(deps.database.db, id)
}

async function lockApproved(tx: Db<Tables>, id: string): Promise<PayoutFile> {
  const file = await files.lockFile(tx, id)
  if (file.state === 'approved') return file
  throw new Problem('payout-file-decided', `The file is ${file.state}, and the bank has only approved ones.`)
}

/** Locks the payouts of a file, of which one at least has not ended. */
async function requireUnended(tx: Db<Tables>, { code }: PayoutFile): Promise<void> {
  const payouts = await lockPayoutsOfFile(tx, code)
  if (payouts.some(({ ended_at }) => ended_at === null)) return
  throw new Problem('payout-file-decided', 'Statements have all payouts of this file already.')
}
