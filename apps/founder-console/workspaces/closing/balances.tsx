import { describeError } from '@windlass/ui/console/errors.ts'
import type { JournalEntry } from '@windlass/contracts/anchor/developer-api.ts'
import type { EntryEvidence, Period } from '@windlass/contracts/anchor/journal.ts'
import { downloadWorkspaceStatementFile } from '@windlass/contracts/platform/workspace-bank-accounts.ts'
import { listWorkspaceEntries } from '@windlass/contracts/platform/workspace-records.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { saveFile } from '@windlass/ui/console/csv.ts'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { formatAmount, formatDate } from '@windlass/ui/formats.ts'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { unitName } from '../assets.ts'
import { accountName } from '../journal-accounts.ts'
import { ledger } from '../ledger/texts.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { behind as words } from './behind-texts.ts'
import { texts } from './texts.ts'

type Balance = Period['balances'][number]

interface Shown {
  period: Period
  money(row: { unit: string; amount: string }): string
}

/** The trial balance, in which each amount opens the entries that it comes from. */
export function Balances({ period: { balances, to }, money }: Shown) {
  const [open, setOpen] = useState<Balance>()
  if (balances.length === 0) return <p className="text-14 text-soft">{texts.balances.none}</p>
  const at = (row: Balance, which: 'opening' | 'closing') => money({ unit: row.unit, amount: row[which] })
  return (
    <>
      <div>
        <h3 className="font-semibold">{texts.balances.title}</h3>
        <p className="text-14 text-soft">{texts.balances.lead}</p>
      </div>
      <Table
        caption={texts.balances.title}
        rows={balances}
        keyOf={row => `${row.account} ${row.unit}`}
        columns={[
          { head: texts.balances.account, cell: row => accountName(row.account) },
          { head: texts.balances.opening, numeric: true, cell: row => at(row, 'opening') },
          {
            head: texts.balances.closing,
            numeric: true,
            cell: row => (
              <Button
                look="quiet"
                aria-label={words.open(accountName(row.account), at(row, 'closing'))}
                onClick={() => setOpen(row)}
              >
                {at(row, 'closing')}
              </Button>
            ),
          },
        ]}
      />
      {open && <Behind balance={open} to={to} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Behind({
  balance: { account, unit, closing },
  to,
  onClose,
}: {
  balance: Balance
  to: string
  onClose(): void
}) {
  const workspace = useWorkspace()
  const query = { account, unit, to }
  const list = useInfiniteQuery(
    operator.pages(listWorkspaceEntries, { params: { anchorId: workspace.id }, query }),
  )
  const inUnit = (amount: string) => `${formatAmount(amount)} ${unitName(workspace, unit)}`
  const amountsOf = ({ lines }: JournalEntry) =>
    lines.filter(line => line.account === account && line.unit === unit)
  return (
    <SidePanel open onClose={onClose} title={`${accountName(account)}: ${inUnit(closing)}`}>
      <RecordList
        texts={words}
        list={list}
        keyOf={row => row.id}
        columns={[
          {
            head: words.day,
            className: 'whitespace-nowrap',
            cell: row => formatDate(row.countedOn ?? row.createdAt),
          },
          {
            head: words.amount,
            numeric: true,
            cell: row => amountsOf(row).map(line => <p key={line.amount}>{inUnit(line.amount)}</p>),
          },
          { head: words.restsOn, className: 'wrap-anywhere', cell: row => <Evidence entry={row} /> },
        ]}
      />
    </SidePanel>
  )
}

function Evidence({ entry: { kind, transactionId, restsOn } }: { entry: JournalEntry }) {
  const { id: anchorId } = useWorkspace()
  const nameOf = useMemberName()
  return (
    <div className="space-y-1 text-13">
      <p className="font-medium">{ledger.kinds[kind] ?? kind.replaceAll('-', ' ')}</p>
      {restsOn?.line && <FileLine line={restsOn.line} />}
      {restsOn?.decisions.map(each => (
        <p key={each.at}>
          {words.decided(
            [words.kinds[each.kind] ?? each.kind, each.account && accountName(each.account)]
              .filter(Boolean)
              .join(', '),
            [...new Set([each.requestedBy, each.decidedBy])]
              .flatMap(by => by ?? [])
              .map(nameOf)
              .join(', '),
          )}{' '}
          {each.reason}
        </p>
      ))}
      {restsOn?.manualEntryId && <p>{words.manual}</p>}
      {transactionId && (
        <Link className="link" to={paths.workspace(anchorId, 'transactions', { open: transactionId })}>
          {words.transaction}
        </Link>
      )}
    </div>
  )
}

function FileLine({ line }: { line: NonNullable<EntryEvidence['line']> }) {
  const { id: anchorId } = useWorkspace()
  const { fileName, statementId: id, bookedOn, text, amount, currency, direction } = line
  const download = useMutation({
    mutationFn: async () => {
      const answer = await operator.open(downloadWorkspaceStatementFile, { params: { anchorId, id } })
      saveFile(fileName, await answer.blob())
    },
  })
  return (
    <>
      <p>
        {words.line(
          formatDate(bookedOn),
          `${direction === 'out' ? '-' : ''}${formatAmount(amount)} ${currency}`,
        )}
      </p>
      {text && <p className="text-soft">{text}</p>}
      <Button look="quiet" pending={download.isPending} onClick={() => download.mutate()}>
        {fileName}
      </Button>
      {download.isError && <p role="alert">{describeError(download.error).title}</p>}
    </>
  )
}
