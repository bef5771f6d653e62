import type { Deps } from '../deps.ts'
import { bindTerms } from '../transfers/bound-terms.ts'
import { lockTransfer } from '../transfers/find.ts'

/** Makes what a test wrote into a withdrawal what this server agreed. */
export async function agreedSo(deps: Deps, id: string): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await bindTerms(deps, tx, await lockTransfer(tx, id))
  })
}
