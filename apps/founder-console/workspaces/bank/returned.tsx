import { refreshBank } from './refresh-bank.ts'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  approveWorkspaceRepayment,
  listWorkspaceReturnedPayments,
  payWorkspaceReturnAgain,
  type ReturnedPayment,
} from '@windlass/contracts/anchor/returned-payments.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatMoney } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { Link } from 'react-router'
import { operator, profileQuery } from '../../session.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { lineTexts } from './line-texts.ts'
import { manages } from '../manages.ts'

const money = ({ amount, currency }: ReturnedPayment) => formatMoney(amount, currency)

/** Payments that banks sent back: each is paid again or refunded, with its transaction or, where it has none, here. */
export function Returned() {
  const { id: anchorId, role } = useWorkspace()
  const [paying, setPaying] = useState<ReturnedPayment>()
  const list = useInfiniteQuery(operator.pages(listWorkspaceReturnedPayments, { params: { anchorId } }))
  const columns: Column<ReturnedPayment>[] = [
    timeColumn(lineTexts.returned.columns.at, row => row.since),
    { head: lineTexts.returned.columns.kind, cell: row => lineTexts.returned.kinds[row.kind] },
    { head: lineTexts.returned.columns.amount, named: true, numeric: true, cell: money },
    {
      head: lineTexts.returned.columns.reason,
      className: 'text-soft wrap-anywhere',
      cell: row =>
        row.pending ? <Pending payment={row} /> : row.hasLeft ? row.reason : lineTexts.returned.notOrdered,
    },
    {
      head: lineTexts.returned.columns.decide,
      className: 'text-right whitespace-nowrap',
      cell: row =>
        row.transactionId !== null ? (
          <Link
            className={buttonLook('quiet')}
            to={`/workspaces/${anchorId}/transactions?open=${row.transactionId}`}
            aria-label={lineTexts.returned.openWhat(money(row))}
          >
            {lineTexts.returned.open}
          </Link>
        ) : !manages(role, 'finance') ? null : row.pending ? (
          <Approval payment={row} />
        ) : (
          <Button aria-label={wordsOf(row).what(money(row))} onClick={() => setPaying(row)}>
            {wordsOf(row).act}
          </Button>
        ),
    },
  ]
  const close = () => setPaying(undefined)
  return (
    <section className="space-y-4">
      <SectionHeading title={lineTexts.returned.title} lead={lineTexts.returned.lead} />
      <RecordList texts={lineTexts.returned} list={list} columns={columns} keyOf={row => row.id} />
      {paying && (
        <PayForm
          payment={paying}
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

/** One that never left is released, one that came back is paid again. */
function wordsOf({ hasLeft }: ReturnedPayment) {
  const { returned } = lineTexts
  return hasLeft
    ? { act: returned.pay, what: returned.payWhat, title: returned.payTitle, lead: returned.payLead }
    : {
        act: returned.release,
        what: returned.releaseWhat,
        title: returned.releaseTitle,
        lead: returned.releaseLead,
      }
}

function Pending({ payment }: { payment: ReturnedPayment }) {
  const { pending } = payment
  const nameOf = useMemberName()
  if (!pending) return null
  return (
    <div className="space-y-1">
      <p className="font-medium text-ink">
        {lineTexts.approval.asks(nameOf(pending.requestedBy), wordsOf(payment).act)}
      </p>
      <p className="wrap-anywhere">{pending.reason}</p>
    </div>
  )
}

function Approval({ payment }: { payment: ReturnedPayment }) {
  const { id: anchorId } = useWorkspace()
  const ownId = useQuery(profileQuery).data?.user.id
  const isOwn = payment.pending?.requestedBy === `operator:${ownId}`
  const change = useMutation({
    mutationFn: (approve: boolean) =>
      operator.call(approveWorkspaceRepayment, { params: { anchorId, id: payment.id }, body: { approve } }),
    onSettled: refreshBank,
  })
  return (
    <div className="space-y-2">
      {change.error && (
        <ErrorNotice failure={{ ...describeError(change.error), title: lineTexts.returned.failed }} />
      )}
      {isOwn && <p className="text-13 whitespace-normal text-soft">{lineTexts.approval.own}</p>}
      <div className="flex flex-wrap justify-end gap-2">
        {!isOwn && (
          <Button
            look="primary"
            aria-label={lineTexts.approval.approveWhat(money(payment))}
            onClick={() => change.mutate(true)}
          >
            {lineTexts.approval.approve}
          </Button>
        )}
        <Button
          look="quietDanger"
          aria-label={lineTexts.approval.rejectWhat(money(payment))}
          onClick={() => change.mutate(false)}
        >
          {lineTexts.approval.reject}
        </Button>
      </div>
    </div>
  )
}

interface PayProps {
  payment: ReturnedPayment
  onDone(): void
  onClose(): void
}

function PayForm({ payment, onDone, onClose }: PayProps) {
  const { id: anchorId } = useWorkspace()
  const said = wordsOf(payment)
  return (
    <ConfirmPanel
      title={said.title}
      lead={said.lead(money(payment))}
      send={said.act}
      reason={lineTexts.decision.reason}
      act={async reason => {
        await operator.call(payWorkspaceReturnAgain, {
          params: { anchorId, id: payment.id },
          body: { reason },
        })
        onDone()
      }}
      explain={failedAs(lineTexts.returned.failed)}
      onClose={onClose}
    />
  )
}
