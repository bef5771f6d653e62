import type { RemovedKind } from '@windlass/contracts/anchor/retention.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import {
  isPayoutHeld,
  removeLineDetails,
  removeReturnAccounts,
  removeStatementFiles,
} from '../../bank-files/retention.ts'
import { isAnswerNeeded } from '../../people/compliance/hits.ts'
import { removeCaseTexts } from '../../people/compliance/cases.ts'
import { removeScreenedNames } from '../../people/compliance/screened-names.ts'
import { removeKept } from '../../people/customers/kept.ts'
import { removeFindings } from '../../people/outside-checks/ask.ts'
import type { Years } from '../../people/retention/countries.ts'
import { removeEntryTexts } from '../../people/registers/entries.ts'
import { removeFormer } from '../../people/risk-rating/former.ts'
import { removeFileContents, removePayoutAccounts } from '../../rails/bank-file/retention.ts'
import type { Tables } from '../../tables.ts'
import { isTransferHeld, removeAccounts, removeNotes } from '../../transfers/retention.ts'
import { removeSnapshotsBefore } from '../../transfers/snapshots.ts'
import { removeInquiriesBefore } from '../../transfers/travel-messages/inquiries.ts'
import { removeRecordsBefore } from '../../transfers/travel-rule/records.ts'
import { removeOwnersBefore } from '../../transfers/travel-rule/wallet-owners.ts'

interface Due {
  before: Date
  now: Date
  limit: number
}
/** One kind of record about people: by which years it goes, and what removes some of it. */
interface Kind {
  kind: RemovedKind
  years: keyof Years
  /** @returns how many. */
  remove(tx: Db<Tables>, due: Due): Promise<number>
}

const isHeld = isTransferHeld
const ofPayouts = { isHeld: isPayoutHeld(isTransferHeld) }

/** Every kind of record with personal data, in an order in which the later ones find what the earlier ones removed. */
export const KINDS: readonly Kind[] = [
  {
    kind: 'customer',
    years: 'customerYears',
    remove: async (tx, due) => {
      await removeFormer(tx, due.before)
      return removeKept(tx, { ...due, isHeld })
    },
  },
  {
    kind: 'travel-record',
    years: 'travelRecordYears',
    remove: async (tx, due) => {
      await removeOwnersBefore(tx, due.before)
      await removeInquiriesBefore(tx, due.before, isHeld)
      return removeRecordsBefore(tx, { ...due, isHeld })
    },
  },
  { kind: 'snapshot', years: 'customerYears', remove: removeSnapshotsBefore },
  {
    kind: 'bank-line',
    years: 'paymentRecordYears',
    remove: (tx, due) => removeLineDetails(tx, { ...due, isHeld }),
  },
  { kind: 'bank-file', years: 'paymentRecordYears', remove: removeStatementFiles },
  {
    kind: 'payout-file',
    years: 'paymentRecordYears',
    remove: (tx, due) => removeFileContents(tx, { ...due, ...ofPayouts }),
  },
  { kind: 'account', years: 'paymentRecordYears', remove: removeAccounts },
  {
    kind: 'account',
    years: 'paymentRecordYears',
    remove: (tx, due) => removePayoutAccounts(tx, { ...due, ...ofPayouts }),
  },
  {
    kind: 'account',
    years: 'paymentRecordYears',
    remove: (tx, due) => removeReturnAccounts(tx, { ...due, isHeld }),
  },
  { kind: 'transaction-note', years: 'paymentRecordYears', remove: removeNotes },
  { kind: 'case', years: 'caseRecordYears', remove: removeCaseTexts },
  {
    kind: 'register-entry',
    years: 'caseRecordYears',
    remove: removeEntryTexts,
  },
  {
    kind: 'outside-answer',
    years: 'caseRecordYears',
    remove: (tx, due) => removeFindings(tx, { ...due, isHeld: isAnswerNeeded }),
  },
  {
    kind: 'screened-name',
    years: 'caseRecordYears',
    remove: (tx, due) =>
      removeScreenedNames(tx, {
        ...due,
        isHeld: name => isHeld(sql`case when ${name.kind} = 'transaction' then ${name.id}::uuid end`),
      }),
  },
]
