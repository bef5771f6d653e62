import { refreshBank } from './refresh-bank.ts'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import type { BankAccount } from '@windlass/contracts/anchor/bank-accounts.ts'
import {
  decideWorkspaceOpeningBalance,
  listWorkspaceBankAccounts,
  setWorkspaceOpeningBalance,
} from '@windlass/contracts/platform/workspace-bank-accounts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { useForm } from '@windlass/ui/form.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { formatDate, formatDateTime, formatMoney } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { Code, type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { operator, profileQuery } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './account-texts.ts'
import { manages } from '../manages.ts'

/** Each bank account as the bank has it and as the journal does, with what it had before its first statement. */
export function Accounts() {
  const { id: anchorId, role } = useWorkspace()
  const [saying, setSaying] = useState<BankAccount>()
  const ownId = useQuery(profileQuery).data?.user.id
  const list = useQuery(operator.query(listWorkspaceBankAccounts, { params: { anchorId } }))
  const decide = useMutation({
    mutationFn: ({ id, approve }: { id: string; approve: boolean }) =>
      operator.call(decideWorkspaceOpeningBalance, { params: { anchorId, id }, body: { approve } }),
    onSettled: refreshBank,
  })
  const { columns: heads } = texts
  const columns: Column<BankAccount>[] = [
    {
      head: heads.account,
      className: 'wrap-anywhere',
      cell: row => (
        <>
          <Code>{row.account}</Code> {row.rails.join(', ')}
        </>
      ),
    },
    {
      head: heads.statement,
      named: true,
      className: 'text-soft wrap-anywhere',
      cell: ({ lastStatement: last }) =>
        last
          ? [last.bookedTo && formatDate(last.bookedTo), last.fileName].filter(Boolean).join(' · ')
          : texts.noStatement,
    },
    {
      head: heads.bank,
      named: true,
      numeric: true,
      cell: ({ bank, currency }) =>
        bank ? `${formatMoney(bank.balance, currency)} (${formatDate(bank.day)})` : texts.noBalance,
    },
    {
      head: heads.journal,
      named: true,
      numeric: true,
      value: row => row.journal,
      cell: row => formatMoney(row.journal, row.currency),
    },
    { head: heads.gap, named: true, numeric: true, cell: row => <Gap account={row} /> },
  ]
  if (manages(role, 'finance'))
    columns.push({
      head: heads.opening,
      className: 'text-right',
      cell: row =>
        row.pending ? (
          <div className="space-y-1">
            <p className="text-13 text-soft">
              {texts.asks(formatMoney(row.pending.amount, row.currency), formatDate(row.pending.day))}{' '}
              {row.pending.reason}
            </p>
            {row.pending.requestedBy === `operator:${ownId}` ? (
              <p className="text-13 text-soft">{texts.own}</p>
            ) : (
              <Button
                aria-label={texts.approveWhat(row.account)}
                onClick={() => row.pending && decide.mutate({ id: row.pending.id, approve: true })}
              >
                {texts.approve}
              </Button>
            )}
            <Button
              look="quietDanger"
              aria-label={texts.rejectWhat(row.account)}
              onClick={() => row.pending && decide.mutate({ id: row.pending.id, approve: false })}
            >
              {texts.reject}
            </Button>
          </div>
        ) : (
          <>
            {row.opening && (
              <p className="text-13 text-soft">
                {texts.counts(formatMoney(row.opening.amount, row.currency), formatDate(row.opening.day))}
              </p>
            )}
            {row.rails.length > 0 && (
              <Button look="quiet" aria-label={texts.sayWhat(row.account)} onClick={() => setSaying(row)}>
                {texts.say}
              </Button>
            )}
          </>
        ),
    })
  const close = () => setSaying(undefined)
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      {decide.error && <ErrorNotice failure={{ ...describeError(decide.error), title: texts.failed }} />}
      <DataScreen query={list} explain={describeError} skeleton={<Bar className="h-20" />}>
        {rows => <Table caption={texts.title} rows={rows} keyOf={row => row.account} columns={columns} />}
      </DataScreen>
      {saying && (
        <OpeningForm
          account={saying}
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

function Gap({ account: { gap, gapSince, currency } }: { account: BankAccount }) {
  if (gap === null) return texts.noBalance
  if (Number(gap) === 0) return <Status tone="good">{texts.equal}</Status>
  return (
    <div className="space-y-1">
      <Status tone="bad">{formatMoney(gap, currency)}</Status>
      {gapSince && <p className="text-13 text-soft">{texts.since(formatDateTime(gapSince))}</p>}
    </div>
  )
}

interface OpeningProps {
  account: BankAccount
  onDone(): void
  onClose(): void
}

const sides = () => [
  { value: 'credit', label: texts.form.credit },
  { value: 'overdrawn', label: texts.form.overdrawn },
]

/** What an account had before its first statement, proposed as that statement has it. */
function OpeningForm({ account: { rails, first, currency }, onDone, onClose }: OpeningProps) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: {
      amount: first?.balance.replace('-', '') ?? '',
      side: first?.balance.startsWith('-') ? 'overdrawn' : 'credit',
      ...{ day: first?.day ?? '', reason: '' },
    },
    check: ({ amount, day, reason }) => {
      const errors = amountErrors({ amount }, { amount: {} })
      if (day === '') errors.day = words.dayMissing
      if (reason.trim() === '') errors.reason = words.reason.missing
      return errors
    },
    send: async ({ amount, side, day, reason }) => {
      await operator.call(setWorkspaceOpeningBalance, {
        params: { anchorId, rail: rails[0] ?? '' },
        body: {
          amount: `${side === 'overdrawn' ? '-' : ''}${amount}`,
          day,
          reason: reason.trim(),
        },
      })
      onDone()
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel
      title={words.title}
      form={form}
      send={words.send}
      lead={<p className="mb-6 text-14 text-soft">{words.lead}</p>}
      onClose={onClose}
    >
      <AmountField name="amount" label={words.amount} unit={currency} decimals={2} />
      <SelectField name="side" label={words.side} choices={sides()} required />
      <TextField name="day" label={words.day} type="date" />
      <TextAreaField name="reason" label={words.reason.label} maxLength={500} />
    </FormPanel>
  )
}
