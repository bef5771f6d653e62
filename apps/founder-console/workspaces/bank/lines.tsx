import { refreshBank } from './refresh-bank.ts'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import type { StatementLine } from '@windlass/contracts/anchor/bank-files.ts'
import {
  approveWorkspaceStatementLine,
  listWorkspaceStatementLines,
  reverseWorkspaceStatementLine,
} from '@windlass/contracts/platform/workspace-bank-files.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDate, formatMoney } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { operator, profileQuery } from '../../session.ts'
import { accountName } from '../journal-accounts.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { DecisionForm, LineFacts, reasonOf } from './bank-forms.tsx'
import { lineTexts } from './line-texts.ts'
import { manages } from '../manages.ts'

const REFRESH_MS = 15_000
/** Banks write whole mandates into a line; the form has all of it. */
const SHOWN_TEXT = 140
const money = ({ amount, currency }: StatementLine) => formatMoney(amount, currency)

/** What stands in the place of a party that a line does not name, or names no more. */
const nobodyOf = ({ removedAt }: StatementLine): string =>
  removedAt ? lineTexts.review.removed(formatDate(removedAt.slice(0, 10))) : lineTexts.review.unknown

/** Day, party and amount of a line: what every list of lines shows. */
const factColumns = (): Column<StatementLine>[] => [
  {
    head: lineTexts.review.columns.day,
    className: 'whitespace-nowrap text-soft',
    value: row => row.bookedOn,
    cell: row => formatDate(row.bookedOn),
  },
  {
    head: lineTexts.review.columns.party,
    className: 'wrap-anywhere',
    cell: row => (
      <>
        {row.party.name ?? (row.text === '' ? nobodyOf(row) : null)}
        {row.text !== '' && <span className="block text-13 text-soft">{row.text.slice(0, SHOWN_TEXT)}</span>}
      </>
    ),
  },
  {
    head: lineTexts.review.columns.amount,
    numeric: true,
    cell: row => `${row.direction === 'in' ? lineTexts.review.in : lineTexts.review.out} ${money(row)}`,
  },
]

/** Lines that wait for a decision, or for the second person of one. */
export function Review() {
  const { id: anchorId, role } = useWorkspace()
  const [deciding, setDeciding] = useState<StatementLine>()
  const list = useInfiniteQuery({
    ...operator.pages(listWorkspaceStatementLines, { params: { anchorId }, query: { status: 'review' } }),
    refetchInterval: REFRESH_MS,
  })
  // An upload is answered before its lines are matched.
  const unmatched = useQuery({
    ...operator.query(listWorkspaceStatementLines, {
      params: { anchorId },
      query: { status: 'new', limit: 1 },
    }),
    refetchInterval: REFRESH_MS,
  })
  const { review: words } = lineTexts
  const empty = unmatched.data?.length ? words.matching : words.empty
  const columns: Column<StatementLine>[] = [
    ...factColumns(),
    {
      head: lineTexts.review.columns.reason,
      className: 'text-soft wrap-anywhere',
      cell: row => (row.pending ? <Pending line={row} /> : reasonOf(row)),
    },
  ]
  if (manages(role, 'finance'))
    columns.push({
      head: lineTexts.review.decide,
      className: 'text-right whitespace-nowrap',
      cell: row =>
        row.pending ? (
          <Approval line={row} />
        ) : (
          <Button
            aria-label={lineTexts.review.decideWhat(money(row), formatDate(row.bookedOn))}
            onClick={() => setDeciding(row)}
          >
            {lineTexts.review.decide}
          </Button>
        ),
    })
  const close = () => setDeciding(undefined)
  return (
    <section className="space-y-4">
      <SectionHeading title={lineTexts.review.title} lead={lineTexts.review.lead} />
      <RecordList texts={{ ...words, empty }} list={list} columns={columns} keyOf={row => row.id} />
      {deciding && (
        <DecisionForm
          line={deciding}
          onClose={close}
          onDone={() => {
            close()
            refreshBank()
          }}
        />
      )}
    </section>
  )
}

/** What a second person is asked to approve. */
function Pending({ line: { pending } }: { line: StatementLine }) {
  const nameOf = useMemberName()
  if (!pending) return null
  const { kind, transactionId, duplicateOf, account, reason, requestedBy } = pending
  const what = kind === 'reverse' ? lineTexts.decided.reverse : lineTexts.decision.what[kind].label
  const of = transactionId ?? duplicateOf
  return (
    <div className="space-y-1">
      <p className="font-medium text-ink">{lineTexts.approval.asks(nameOf(requestedBy), what)}</p>
      {account && <p>{accountName(account)}</p>}
      {of && <p className="font-mono text-13 wrap-anywhere">{of}</p>}
      <p className="wrap-anywhere">{reason}</p>
    </div>
  )
}

function Approval({ line }: { line: StatementLine }) {
  const { id: anchorId } = useWorkspace()
  const ownId = useQuery(profileQuery).data?.user.id
  const isOwn = line.pending?.requestedBy === `operator:${ownId}`
  const change = useMutation({
    mutationFn: (approve: boolean) =>
      operator.call(approveWorkspaceStatementLine, { params: { anchorId, id: line.id }, body: { approve } }),
    onSettled: refreshBank,
  })
  const button = (approve: boolean, label: string, name: string) => (
    <Button
      look={approve ? 'primary' : 'quietDanger'}
      aria-label={name}
      pending={change.isPending && change.variables === approve}
      onClick={() => change.mutate(approve)}
    >
      {label}
    </Button>
  )
  return (
    <div className="space-y-2">
      {change.error && (
        <ErrorNotice failure={{ ...describeError(change.error), title: lineTexts.approval.failed }} />
      )}
      {isOwn && <p className="text-13 whitespace-normal text-soft">{lineTexts.approval.own}</p>}
      <div className="flex flex-wrap justify-end gap-2">
        {!isOwn && button(true, lineTexts.approval.approve, lineTexts.approval.approveWhat(money(line)))}
        {button(false, lineTexts.approval.reject, lineTexts.approval.rejectWhat(money(line)))}
      </div>
    </div>
  )
}

/** Lines about which people decided, each of which can be reversed. */
export function Decided() {
  const { id: anchorId, role } = useWorkspace()
  const nameOf = useMemberName()
  const [reversing, setReversing] = useState<StatementLine>()
  const list = useInfiniteQuery(
    operator.pages(listWorkspaceStatementLines, { params: { anchorId }, query: { decided: 'person' } }),
  )
  const columns: Column<StatementLine>[] = [
    ...factColumns(),
    {
      head: lineTexts.decided.columns.status,
      cell: row =>
        row.pending ? (
          <Pending line={row} />
        ) : row.account ? (
          accountName(row.account)
        ) : (
          lineTexts.decided.statuses[row.status]
        ),
    },
    {
      head: lineTexts.review.columns.reason,
      className: 'text-soft wrap-anywhere',
      cell: row => `${row.reason ?? ''} (${row.decidedBy === null ? '' : nameOfDecider(row, nameOf)})`,
    },
  ]
  if (manages(role, 'finance'))
    columns.push({
      head: lineTexts.decided.reverse,
      className: 'text-right whitespace-nowrap',
      cell: row =>
        row.pending ? (
          <Approval line={row} />
        ) : (
          row.canReverse && (
            <Button
              look="quietDanger"
              aria-label={lineTexts.decided.reverseWhat(money(row), formatDate(row.bookedOn))}
              onClick={() => setReversing(row)}
            >
              {lineTexts.decided.reverse}
            </Button>
          )
        ),
    })
  const close = () => setReversing(undefined)
  return (
    <section className="space-y-4">
      <SectionHeading title={lineTexts.decided.title} lead={lineTexts.decided.lead} />
      <RecordList texts={lineTexts.decided} list={list} columns={columns} keyOf={row => row.id} />
      {reversing && (
        <ReversalForm
          line={reversing}
          onClose={close}
          onDone={() => {
            close()
            refreshBank()
          }}
        />
      )}
    </section>
  )
}

const nameOfDecider = ({ decidedBy }: StatementLine, nameOf: (by: string) => string): string =>
  decidedBy?.startsWith('key:') ? lineTexts.decided.key : nameOf(decidedBy ?? '')

interface ReversalProps {
  line: StatementLine
  onDone(): void
  onClose(): void
}

function ReversalForm({ line, onDone, onClose }: ReversalProps) {
  const { id: anchorId } = useWorkspace()
  const { reversal: words } = lineTexts
  return (
    <ConfirmPanel
      title={words.title}
      lead={
        <div className="mb-6 space-y-4">
          <p className="text-14 text-soft">{words.lead}</p>
          <LineFacts line={line} />
        </div>
      }
      send={words.send}
      reason={lineTexts.decision.reason}
      act={async reason => {
        const params = { anchorId, id: line.id }
        await operator.call(reverseWorkspaceStatementLine, { params, body: { reason } })
        onDone()
      }}
      explain={failedAs(words.failed)}
      onClose={onClose}
    />
  )
}
