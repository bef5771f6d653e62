import { describeError } from '@windlass/ui/console/errors.ts'
import type { PayoutFile, SheetPayment } from '@windlass/contracts/anchor/payout-files.ts'
import {
  approveWorkspacePayoutFile,
  getWorkspacePayoutSheet,
} from '@windlass/contracts/platform/workspace-bank-files.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDate, formatMoney } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Code, type Column, Table } from '@windlass/ui/table.tsx'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { payoutTexts } from './payout-texts.ts'

interface SheetPanelProps {
  file: PayoutFile
  /** Whether the reader made the file: someone else approves it. */
  isOwn: boolean
  onDone(): void
  onClose(): void
}

/** What a file pays, to look at before it is approved. What is approved is the list that is shown. */
export function SheetPanel({ file: { id }, isOwn, onDone, onClose }: SheetPanelProps) {
  const { id: anchorId } = useWorkspace()
  const { sheet: words } = payoutTexts
  const params = { anchorId, id }
  const sheet = useQuery(
    operator.query(
      getWorkspacePayoutSheet,
      { params },
      {
        // Each look is recorded.
        staleTime: Infinity,
        gcTime: 0,
      },
    ),
  )
  const approve = useMutation({
    mutationFn: (seen: string) =>
      operator.call(approveWorkspacePayoutFile, { params, body: { sheet: seen } }),
    onSuccess: onDone,
  })
  return (
    <SidePanel open onClose={onClose} title={words.title}>
      <p className="mb-4 text-14 text-soft">{isOwn ? words.own : words.lead}</p>
      {approve.error && <ErrorNotice failure={{ ...describeError(approve.error), title: words.failed }} />}
      <DataScreen query={sheet} explain={describeError} skeleton={<Bar className="h-40" />}>
        {({ payments, currency, total, sheet: seen }) => (
          <div className="space-y-4">
            <p className="text-14 font-medium tabular">
              {words.total(payments.length, formatMoney(total, currency))}
            </p>
            <p className="text-14">{words.marked(payments.filter(({ marks }) => marks.length > 0).length)}</p>
            <Table
              caption={words.title}
              rows={payments}
              keyOf={row => row.payoutId}
              columns={columnsOf(anchorId, currency)}
            />
            {!isOwn && (
              <Button look="primary" pending={approve.isPending} onClick={() => approve.mutate(seen)}>
                {words.approve}
              </Button>
            )}
          </div>
        )}
      </DataScreen>
    </SidePanel>
  )
}

function columnsOf(anchorId: string, currency: string): Column<SheetPayment>[] {
  const { columns: heads, ...words } = payoutTexts.sheet
  return [
    {
      head: heads.payee,
      className: 'wrap-anywhere',
      cell: ({ payee, marks, seenHolder }) => (
        <div className="space-y-1">
          <p className="font-medium">{payee.name}</p>
          <Code>{[payee.account, payee.bank].filter(Boolean).join(' ')}</Code>
          {marks.map(mark => (
            <div key={mark}>
              <Status tone="warn">{words.marks[mark]}</Status>
            </div>
          ))}
          {seenHolder && <p className="text-13 text-soft">{words.seenHolder(seenHolder)}</p>}
        </div>
      ),
    },
    {
      head: heads.why,
      className: 'text-soft wrap-break-word',
      cell: ({ transactionId, line, code }) => (
        <div className="space-y-1">
          {transactionId ? (
            <Link to={paths.workspace(anchorId, 'transactions', { open: transactionId })} className="link">
              {words.payout}
            </Link>
          ) : (
            line && <p>{words.return(formatDate(line.bookedOn), line.name ?? words.unknown)}</p>
          )}
          <p className="text-13">
            {heads.reference} <Code>{code}</Code>
          </p>
        </div>
      ),
    },
    {
      head: heads.amount,
      numeric: true,
      className: 'whitespace-nowrap',
      cell: ({ amount }) => formatMoney(amount, currency),
    },
  ]
}
