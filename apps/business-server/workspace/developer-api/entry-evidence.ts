import type { JournalEntry } from '@windlass/contracts/anchor/developer-api.ts'
import type { EntryEvidence } from '@windlass/contracts/anchor/journal.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { openLine } from '../../bank-files/lines.ts'
import { type LineOfFile, linesOfFiles } from '../../bank-files/find-lines.ts'
import type { Deps } from '../../deps.ts'
import { doneAbout } from '../../money/approvals/approvals.ts'
import { entryForm, type listEntries } from '../../money/journal/journal.ts'
import { manualIdOf } from '../../money/journal/manual.ts'
import type { StoredAction } from '../../tables.ts'

type Rows = Awaited<ReturnType<typeof listEntries>>

/** Entries, each with the line, the file and the decisions behind it. */
export async function entriesWithEvidence(
  deps: Deps,
  rows: Rows,
  seesPayers: boolean,
): Promise<JournalEntry[]> {
  const { db } = deps.database
  const ids = (all: readonly (string | null)[]) => [...new Set(all.filter(id => id !== null))]
  const lines = ids(rows.map(row => row.line_id))
  const transfers = ids(rows.map(row => row.transfer_id))
  const [found, decisions] = [await linesOfFiles(db, lines), await doneAbout(db, { lines, transfers })]
  return rows.map(row => {
    const line = found.find(({ id }) => id === row.line_id)
    return {
      ...entryForm(row),
      restsOn: {
        line: line ? lineForm(deps, line, seesPayers) : null,
        decisions: decisions.filter(each => isAbout(each, row)).map(decisionForm),
        manualEntryId: manualIdOf(row.cause),
        reverses: row.reverses,
      },
    }
  })
}

const isAbout = (action: StoredAction, row: Rows[number]): boolean =>
  action.line_id === null
    ? action.transfer_id !== null && action.transfer_id === row.transfer_id
    : action.line_id === row.line_id

function lineForm(deps: Deps, line: LineOfFile, seesPayers: boolean): EntryEvidence['line'] {
  return {
    ...{ id: line.id, statementId: line.statement_id, fileName: line.file_name, rail: line.rail },
    ...{ bookedOn: line.booked_on, direction: line.direction, currency: line.currency },
    amount: formatAmount(parseAmount(line.amount)),
    bankReference: line.bank_reference,
    text: seesPayers ? openLine(deps.sealer, line).text : '',
    removedAt: line.removed_at?.toISOString() ?? null,
  }
}

const decisionForm = (action: StoredAction): EntryEvidence['decisions'][number] => ({
  ...{ kind: action.kind, account: action.details.account ?? null, reason: action.reason },
  ...{ requestedBy: action.requested_by, decidedBy: action.decided_by },
  at: (action.decided_at ?? action.requested_at).toISOString(),
})
