import { refreshBank } from './refresh-bank.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import type { BankPayout, PayoutFile } from '@windlass/contracts/anchor/payout-files.ts'
import {
  cancelWorkspacePayoutFile,
  createWorkspacePayoutFile,
  decideWorkspaceFileRejection,
  downloadWorkspacePayoutFile,
  listWorkspacePayoutFiles,
  listWorkspacePayouts,
} from '@windlass/contracts/platform/workspace-bank-files.ts'
import { getWorkspaceTreasury } from '@windlass/contracts/platform/workspace-records.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { saveFile } from '@windlass/ui/console/csv.ts'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatMoney } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { operator, profileQuery } from '../../session.ts'
import { Accounts } from './accounts.tsx'
import { AccountForm, RejectionForm } from './bank-forms.tsx'
import { Decided, Review } from './lines.tsx'
import { SheetPanel } from './payout-sheet.tsx'
import { Statements, Uploads } from './statements.tsx'
import { Wishes } from './wishes.tsx'
import { Returned } from './returned.tsx'
import { texts } from './texts.ts'
import { payoutTexts } from './payout-texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages as mayAct } from '../manages.ts'

const REFRESH_MS = 15_000
const money = ({ amount, currency }: { amount: string; currency: string }) => formatMoney(amount, currency)

/** Statements of the anchor's bank accounts, the lines that a person decides about, and files of payouts. */
export function Component() {
  const { id: anchorId } = useWorkspace()
  const summary = useQuery(operator.query(getWorkspaceTreasury, { params: { anchorId } }))
  return (
    <DataScreen
      query={summary}
      explain={describeError}
      skeleton={<Bar className="h-56" />}
      isEmpty={({ rails }) => !rails.some(({ bankFiles }) => bankFiles)}
      empty={<Empty title={texts.none.title}>{texts.none.detail}</Empty>}
    >
      {({ rails }) => {
        const names = rails.filter(({ bankFiles }) => bankFiles).map(({ name }) => name)
        return (
          <div className="space-y-8">
            <Uploads rails={names} />
            <Review />
            <Returned />
            <Payouts rails={names} />
            <Files />
            <Decided />
            <Accounts />
            <Statements />
          </div>
        )
      }}
    </DataScreen>
  )
}

const SHOWN = 100

function Payouts({ rails }: { rails: readonly string[] }) {
  const { id: anchorId, role } = useWorkspace()
  const [missing, setMissing] = useState<BankPayout>()
  const waiting = useQuery(
    operator.query(
      listWorkspacePayouts,
      { params: { anchorId }, query: { limit: SHOWN } },
      { refetchInterval: REFRESH_MS },
    ),
  )
  const create = useMutation({
    mutationFn: (rail: string) => operator.call(createWorkspacePayoutFile, { params: { anchorId, rail } }),
    onSettled: refreshBank,
  })
  const manages = mayAct(role, 'finance')
  return (
    <section className="space-y-4">
      <SectionHeading title={payoutTexts.payouts.title} lead={payoutTexts.payouts.lead} />
      {create.error && (
        <ErrorNotice failure={{ ...describeError(create.error), title: payoutTexts.payouts.createFailed }} />
      )}
      <DataScreen query={waiting} explain={describeError} skeleton={<Bar className="h-20" />}>
        {rows => {
          const without = rows.filter(({ hasAccount }) => !hasAccount)
          const unnamed = without.filter(({ missing }) => missing === 'latin-name').length
          const notOrdered = rows.filter(({ isOrdered }) => isOrdered === false).length
          return (
            <Panel className="space-y-3 px-4 py-4 sm:px-5">
              <p className="text-14">
                {rows.length === SHOWN
                  ? payoutTexts.payouts.more(SHOWN)
                  : payoutTexts.payouts.waiting(rows.length)}
                {without.length > unnamed &&
                  ` ${payoutTexts.payouts.withoutAccount(without.length - unnamed)}`}
                {unnamed > 0 && ` ${payoutTexts.payouts.withoutLatinName(unnamed)}`}
                {notOrdered > 0 && ` ${payoutTexts.payouts.notOrdered(notOrdered)}`}
              </p>
              {manages && rows.length > 0 && (
                <div className="flex flex-wrap gap-2">
                  {rails
                    .filter(name => rows.some(({ rail, hasAccount }) => rail === name && hasAccount))
                    .map(name => (
                      <Button
                        key={name}
                        look="primary"
                        pending={create.isPending && create.variables === name}
                        onClick={() => create.mutate(name)}
                      >
                        {payoutTexts.payouts.create(name)}
                      </Button>
                    ))}
                  {without.map(payout => (
                    <Button key={payout.id} onClick={() => setMissing(payout)}>
                      {payoutTexts.payouts.addAccount(money(payout))}
                    </Button>
                  ))}
                </div>
              )}
              <Wishes payouts={rows} manages={manages} onDone={refreshBank} />
            </Panel>
          )
        }}
      </DataScreen>
      {missing && (
        <AccountForm
          payout={missing}
          onClose={() => setMissing(undefined)}
          onDone={() => {
            setMissing(undefined)
            refreshBank()
          }}
        />
      )}
    </section>
  )
}

const tones: Record<PayoutFile['status'], Tone> = {
  created: 'warn',
  approved: 'good',
  canceled: 'neutral',
  rejected: 'bad',
}
const totalOf = ({ total, currency }: PayoutFile) => formatMoney(total, currency)

type Act = { act: keyof typeof actLabels; file: PayoutFile }

/** Read when a button is shown, in the page's language. */
const actLabels = {
  cancel: () => ({ label: payoutTexts.files.cancel, what: payoutTexts.files.cancelWhat }),
  download: () => ({ label: payoutTexts.files.download, what: payoutTexts.files.downloadWhat }),
  approveRejection: () => ({
    label: payoutTexts.files.rejection.approve,
    what: payoutTexts.files.rejection.approveWhat,
  }),
  dismissRejection: () => ({
    label: payoutTexts.files.rejection.dismiss,
    what: payoutTexts.files.rejection.dismissWhat,
  }),
}

function Files() {
  const { id: anchorId, role } = useWorkspace()
  const [rejecting, setRejecting] = useState<PayoutFile>()
  const [looking, setLooking] = useState<PayoutFile>()
  const ownId = useQuery(profileQuery).data?.user.id
  const list = useInfiniteQuery(operator.pages(listWorkspacePayoutFiles, { params: { anchorId } }))
  const change = useMutation({
    mutationFn: async ({ act, file: { id, fileName } }: Act) => {
      const params = { anchorId, id }
      if (act === 'cancel') await operator.call(cancelWorkspacePayoutFile, { params })
      else if (act === 'approveRejection' || act === 'dismissRejection')
        await operator.call(decideWorkspaceFileRejection, {
          params,
          body: { approve: act === 'approveRejection' },
        })
      else saveFile(fileName, await (await operator.open(downloadWorkspacePayoutFile, { params })).blob())
    },
    onSettled: refreshBank,
  })
  const button = (act: Act['act'], file: PayoutFile) => (
    <Button
      key={act}
      look={act === 'cancel' ? 'quietDanger' : 'quiet'}
      aria-label={actLabels[act]().what(totalOf(file))}
      onClick={() => change.mutate({ act, file })}
    >
      {actLabels[act]().label}
    </Button>
  )
  const rejectionButtons = (file: PayoutFile) => {
    if (file.rejection?.status === 'waiting')
      return [
        file.rejection.requestedBy !== `operator:${ownId}` && button('approveRejection', file),
        button('dismissRejection', file),
      ]
    return [
      button('download', file),
      file.ended < file.payouts && (
        <Button
          key="reject"
          look="quietDanger"
          aria-label={payoutTexts.files.rejection.startWhat(totalOf(file))}
          onClick={() => setRejecting(file)}
        >
          {payoutTexts.files.rejection.start}
        </Button>
      ),
    ]
  }
  const { columns: heads } = payoutTexts.files
  const columns: Column<PayoutFile>[] = [
    timeColumn(heads.at, row => row.createdAt),
    { head: heads.rail, value: row => row.rail },
    { head: heads.payouts, named: true, cell: row => payoutTexts.files.confirmed(row.ended, row.payouts) },
    { head: heads.total, numeric: true, cell: totalOf },
    {
      head: heads.status,
      cell: row => <FileStatus file={row} isOwn={row.rejection?.requestedBy === `operator:${ownId}`} />,
    },
  ]
  if (mayAct(role, 'finance'))
    columns.push({
      head: heads.actions,
      className: 'text-right whitespace-nowrap',
      cell: row =>
        row.status === 'created'
          ? [
              <Button
                key="look"
                aria-label={payoutTexts.files.lookWhat(totalOf(row))}
                onClick={() => setLooking(row)}
              >
                {payoutTexts.files.look}
              </Button>,
              button('cancel', row),
            ]
          : row.status === 'approved' && rejectionButtons(row),
    })
  return (
    <section className="space-y-4">
      <SectionHeading title={payoutTexts.files.title} />
      {change.error && (
        <ErrorNotice failure={{ ...describeError(change.error), title: payoutTexts.files.failed }} />
      )}
      <RecordList texts={payoutTexts.files} list={list} columns={columns} keyOf={row => row.id} />
      {looking && (
        <SheetPanel
          file={looking}
          isOwn={looking.createdBy === `operator:${ownId}`}
          onClose={() => setLooking(undefined)}
          onDone={() => {
            setLooking(undefined)
            refreshBank()
          }}
        />
      )}
      {rejecting && (
        <RejectionForm
          file={rejecting}
          onClose={() => setRejecting(undefined)}
          onDone={() => {
            setRejecting(undefined)
            refreshBank()
          }}
        />
      )}
    </section>
  )
}

function FileStatus({ file: { status, rejection }, isOwn }: { file: PayoutFile; isOwn: boolean }) {
  const { rejection: words, statuses } = payoutTexts.files
  const isWaiting = rejection?.status === 'waiting'
  return (
    <div className="space-y-1">
      <Status tone={isWaiting ? 'warn' : tones[status]}>
        {isWaiting ? words.waiting : statuses[status]}
      </Status>
      {rejection && rejection.status !== 'dismissed' && (
        <p className="text-13 wrap-anywhere text-soft">
          {rejection.reason} {isWaiting && isOwn && words.own}
        </p>
      )}
    </div>
  )
}
