import { removeKept } from '../../people/customers/kept.ts'
import { currentRetention, recordRemoval, yearsBefore } from '../../people/retention/rules.ts'
import { removeFormer } from '../../people/risk-rating/former.ts'
import { removeSnapshotsBefore } from '../../transfers/snapshots.ts'
import { isTransferLookedInto } from '../../transfers/looked-into.ts'
import { removeRecordsBefore } from '../../transfers/travel-rule/records.ts'
import { removeOwnersBefore } from '../../transfers/travel-rule/wallet-owners.ts'
import { removeInquiriesBefore } from '../../transfers/travel-messages/inquiries.ts'
import type { Deps } from '../../deps.ts'

/** Removes personal data whose time is over, and writes down how much of what. What a case is about stays. */
export async function removeDue({ database, clock, faults }: Deps): Promise<void> {
  const now = clock.now()
  const { customerYears, travelRecordYears } = await currentRetention(database.db)
  await database.db.transaction().execute(async tx => {
    const before = yearsBefore(now, customerYears)
    await recordRemoval(tx, { kind: 'customer', count: await removeKept(tx, before), before })
    await removeFormer(tx, before)
    faults.at('retention:removed')
  })
  await database.db.transaction().execute(async tx => {
    const before = yearsBefore(now, travelRecordYears)
    await recordRemoval(tx, {
      kind: 'travel-record',
      count: await removeRecordsBefore(tx, before, isTransferLookedInto),
      before,
    })
    await removeOwnersBefore(tx, before)
    await removeInquiriesBefore(tx, before, isTransferLookedInto)
  })
  await database.db.transaction().execute(async tx => {
    const before = yearsBefore(now, customerYears)
    await recordRemoval(tx, { kind: 'snapshot', count: await removeSnapshotsBefore(tx, before), before })
  })
}
