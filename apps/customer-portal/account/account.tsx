import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { everyPage } from '@windlass/client/next-page.ts'
import {
  type CustomerAnchor,
  endCustomerSession,
  getCustomer,
  listAnchorAccounts,
  listCustomerAnchors,
  listCustomerSessions,
  listWallets,
  withdrawAnchorAccess,
} from '@windlass/contracts/platform/customers.ts'
import { chooseCustomerTimeZone } from '@windlass/contracts/platform/time-zones.ts'
import { getKycStatus, startKyc, type KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Domain, Fact, Facts, PageHeading, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { saveJson } from '@windlass/ui/console/csv.ts'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { TimeZoneSetting } from '@windlass/ui/console/time-zone-setting.tsx'
import { SessionList } from '@windlass/ui/console/session-list.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { call, send, query, pages, refresh } from '../api.ts'
import { paths } from '../paths.ts'
import { customerQuery } from '../session.ts'
import { Deletion } from './deletion.tsx'
import { shell } from '../texts.ts'
import { account as texts } from './texts.ts'

const tones: Record<KycStatus, Tone> = {
  NEEDS_INFO: 'neutral',
  PROCESSING: 'info',
  ACCEPTED: 'good',
  REJECTED: 'bad',
}

/** The status of the identity check, the next step, and who sees the data. */
export function Component() {
  const customer = useQuery(customerQuery).data
  const kyc = useQuery(
    query(
      getKycStatus,
      {},
      {
        refetchInterval: ({ state }) => (state.data?.status === 'PROCESSING' ? 3_000 : 30_000),
      },
    ),
  )
  return (
    <div className="mx-auto w-full max-w-[680px] flex-1 space-y-8 px-4 py-8 sm:px-6 sm:py-12">
      <PageHeading
        title={texts.title}
        product={shell.product}
        lead={customer && texts.signedInAs(customer.email)}
      />
      <DataScreen query={kyc} explain={describeError} skeleton={<Bar className="h-32" />}>
        {({ status, verifiedAt }) => (
          <Panel className="space-y-4 p-4 sm:p-5">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <Status tone={tones[status]}>{texts.statuses[status]}</Status>
              {verifiedAt && (
                <span className="text-13 text-soft">{texts.verifiedAt(formatDateTime(verifiedAt))}</span>
              )}
            </div>
            <p>{texts.next[status]}</p>
            {status !== 'ACCEPTED' && <StartVerification label={texts.start[status]} />}
          </Panel>
        )}
      </DataScreen>
      <section className="space-y-3">
        <SectionHeading title={texts.access.title} />
        <Facts className="rounded-8 border border-line bg-surface px-4">
          {texts.access.rows.map(([who, what]) => (
            <Fact key={who} name={who}>
              {what}
            </Fact>
          ))}
        </Facts>
      </section>
      <Anchors />
      <Download />
      <TimeZoneSetting save={timeZone => call(chooseCustomerTimeZone, { body: { timeZone } })} />
      <SessionList
        sessions={useInfiniteQuery(pages(listCustomerSessions))}
        end={id => call(endCustomerSession, { params: { id } })}
      />
      {customer && <Deletion email={customer.email} />}
    </div>
  )
}

/** Anchors that may ask for the result of the check. */
function Anchors() {
  const list = useInfiniteQuery(pages(listCustomerAnchors))
  const [leaving, setLeaving] = useState<CustomerAnchor>()
  const columns: Column<CustomerAnchor>[] = [
    ...anchorColumns,
    {
      head: texts.anchors.columns.actions,
      cell: row => (
        <Button
          look="quiet"
          aria-label={texts.anchors.withdrawFrom(row.organizationName)}
          onClick={() => setLeaving(row)}
        >
          {texts.anchors.withdraw}
        </Button>
      ),
    },
  ]
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.anchors.title} lead={texts.anchors.lead} />
      <RecordList texts={texts.anchors} list={list} columns={columns} keyOf={row => row.id} />
      {leaving && <Withdrawal anchor={leaving} onClose={() => setLeaving(undefined)} />}
    </section>
  )
}

function Withdrawal({ anchor, onClose }: { anchor: CustomerAnchor; onClose(): void }) {
  return (
    <ConfirmPanel
      title={texts.anchors.withdrawTitle}
      lead={
        <>
          <p className="mb-2 font-medium">{anchor.organizationName}</p>
          <p className="mb-6 text-14 text-soft">{texts.anchors.withdrawLead}</p>
        </>
      }
      send={texts.anchors.withdrawTitle}
      look="danger"
      act={async () => {
        await call(withdrawAnchorAccess, { params: { id: anchor.id } })
        await refresh(listCustomerAnchors)
        onClose()
      }}
      explain={failedAs(texts.anchors.withdrawFailed)}
      onClose={onClose}
    />
  )
}

const anchorColumns: Column<CustomerAnchor>[] = [
  { head: texts.anchors.columns.name, className: 'font-medium', value: row => row.organizationName },
  { head: texts.anchors.columns.domain, cell: row => <Domain>{row.homeDomain}</Domain> },
  timeColumn(texts.anchors.columns.since, row => row.since),
]

/** Everything that the platform has about the customer, as a file. */
function Download() {
  const save = useMutation({
    mutationFn: async () => {
      const [profile, identityCheck, wallets, accounts, anchors, sessions] = await Promise.all([
        call(getCustomer),
        call(getKycStatus),
        everyPage(query => send(listWallets, { query })),
        call(listAnchorAccounts),
        everyPage(query => send(listCustomerAnchors, { query })),
        everyPage(query => send(listCustomerSessions, { query })),
      ])
      saveJson(texts.download.file, { profile, identityCheck, wallets, accounts, anchors, sessions })
    },
  })
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.download.title} lead={texts.download.lead} />
      {save.error && <ErrorNotice failure={{ ...describeError(save.error), title: texts.download.failed }} />}
      <Button pending={save.isPending} onClick={() => save.mutate()}>
        {texts.download.action}
      </Button>
    </section>
  )
}

function StartVerification({ label }: { label: string }) {
  const start = useMutation({
    mutationFn: () => call(startKyc, { body: { returnUrl: location.origin + paths.account() } }),
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <div className="space-y-3">
      {start.error && <ErrorNotice failure={{ ...describeError(start.error), title: texts.startFailed }} />}
      <Button look="primary" pending={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        {label}
      </Button>
    </div>
  )
}
