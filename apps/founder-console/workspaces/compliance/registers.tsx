import {
  type RegisterEntry,
  type RegisterName,
  registerCategories,
} from '@windlass/contracts/anchor/registers.ts'
import {
  addToWorkspaceRegister,
  addWorkspaceRegisterStep,
  listWorkspaceRegister,
} from '@windlass/contracts/platform/workspace-registers.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { RecordList, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './register-texts.ts'

const amountOf = ({ amount, currency }: Pick<RegisterEntry, 'amount' | 'currency'>): string =>
  amount === null ? '' : `${formatAmount(amount)} ${currency ?? ''}`

/** Complaints of customers, or incidents. */
export function Register({ register }: { register: RegisterName }) {
  const { id: anchorId, role, subdomain } = useWorkspace()
  const [open, setOpen] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  const words = texts.registers[register]
  const { columns: heads } = texts
  const input = { params: { anchorId, register }, query: {} }
  const list = useInfiniteQuery(operator.pages(listWorkspaceRegister, input))
  const rows = rowsOf(list)
  const entry = rows.find(({ id }) => id === open)
  const columns: Column<RegisterEntry>[] = [
    { head: heads.number, named: true, numeric: true, value: row => row.number },
    {
      head: heads.title,
      className: 'font-medium wrap-anywhere',
      value: row => row.title,
      cell: row => (
        <Button look="quiet" onClick={() => setOpen(row.id)}>
          {row.title}
        </Button>
      ),
    },
    { head: heads.category, named: true, value: row => texts.categories[row.category] },
    timeColumn(heads.happened, row => row.happenedAt),
    { head: heads.customers, named: true, numeric: true, value: row => row.customers },
    { head: heads.amount, named: true, value: row => row.amount, cell: amountOf },
    {
      head: heads.status,
      value: row => words.statuses[row.status],
      cell: row => (
        <Status tone={row.status === 'open' ? 'warn' : 'neutral'}>{words.statuses[row.status]}</Status>
      ),
    },
  ]
  const also: Column<RegisterEntry>[] = [
    { head: heads.currency, value: row => row.currency },
    { head: heads.closed, value: row => row.closedAt },
    { head: texts.cause, value: row => row.cause },
  ]
  return (
    <section className="space-y-4">
      <SectionHeading
        title={words.title}
        lead={words.lead}
        actions={
          manages(role, 'compliance') && (
            <Button look="primary" onClick={() => setAdding(true)}>
              {words.add}
            </Button>
          )
        }
      />
      <RecordList
        texts={words}
        list={list}
        columns={columns}
        keyOf={row => row.id}
        saved={{ name: `${subdomain}-${register}`, all: operator.all(listWorkspaceRegister, input), also }}
      />
      {isAdding && <AddForm register={register} onClose={() => setAdding(false)} />}
      {entry && <EntryPanel key={entry.id} entry={entry} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

function EntryPanel({ entry, onClose }: { entry: RegisterEntry; onClose(): void }) {
  const { role } = useWorkspace()
  const nameOf = useMemberName()
  return (
    <SidePanel open onClose={onClose} title={entry.title}>
      <div className="space-y-6">
        <Facts>
          <Fact name={texts.columns.category}>{texts.categories[entry.category]}</Fact>
          {entry.subject && (
            <Fact name={texts.subject}>
              <span className="font-mono wrap-anywhere">{entry.subject.id}</span>
            </Fact>
          )}
          {entry.customers !== null && <Fact name={texts.columns.customers}>{String(entry.customers)}</Fact>}
          {entry.amount !== null && <Fact name={texts.columns.amount}>{amountOf(entry)}</Fact>}
          {entry.cause !== null && <Fact name={texts.cause}>{entry.cause}</Fact>}
        </Facts>
        <section className="space-y-2">
          <h3 className="text-13 font-medium text-soft">{texts.steps}</h3>
          <ol className="divide-y divide-line rounded-8 border border-line text-13">
            {entry.steps.map(({ text, by, at }) => (
              <li key={at} className="space-y-1 px-3 py-2">
                <p className="text-soft">
                  {nameOf(by)} · <time dateTime={at}>{formatDateTime(at)}</time>
                </p>
                <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
              </li>
            ))}
          </ol>
        </section>
        {entry.status === 'open' && manages(role, 'compliance') && (
          <StepForm key={entry.steps.length} entry={entry} />
        )}
      </div>
    </SidePanel>
  )
}

const noReach = { customers: '', amount: '', currency: '', cause: '' }
type ReachValues = typeof noReach

function reachErrors({ customers, amount, currency }: ReachValues): FormErrors {
  const { form: words } = texts
  const isPair = (amount.trim() === '') === (currency.trim() === '')
  return {
    ...(customers.trim() !== '' && !/^\d{1,9}$/.test(customers.trim()) && { customers: words.invalidNumber }),
    ...((!isPair || (currency.trim() !== '' && !/^[A-Za-z]{3}$/.test(currency.trim()))) && {
      currency: words.invalidCurrency,
    }),
  }
}
const reachOf = ({ customers, amount, currency, cause }: ReachValues) => ({
  customers: customers.trim() === '' ? null : Number(customers),
  amount: amount.trim() === '' ? null : amount,
  currency: currency.trim() === '' ? null : currency.trim().toUpperCase(),
  cause: cause.trim() || null,
})

function ReachFields() {
  const { form: words } = texts
  return (
    <>
      <AmountField name="customers" label={words.customers} decimals={0} optional />
      <AmountField name="amount" label={words.amount} optional />
      <TextField name="currency" label={words.currency} maxLength={3} autoComplete="off" optional />
      <TextAreaField name="cause" label={words.cause} maxLength={2000} optional />
    </>
  )
}

function AddForm({ register, onClose }: { register: RegisterName; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  const categories = registerCategories[register]
  const form = useForm({
    initial: { category: 'other', title: '', text: '', day: '', subject: '', ...noReach },
    check: (values): FormErrors => ({
      ...(values.title.trim() === '' && { title: words.missing }),
      ...(values.text.trim() === '' && { text: words.missing }),
      ...(!/^\d{4}-\d{2}-\d{2}$/.test(values.day) && { day: words.invalidDay }),
      ...reachErrors(values),
    }),
    send: async values => {
      const category = categories.find(each => each === values.category) ?? 'other'
      const subject = values.subject.trim()
      await operator.call(addToWorkspaceRegister, {
        params: { anchorId, register },
        body: {
          ...{ category, title: values.title.trim(), text: values.text.trim(), ...reachOf(values) },
          happenedAt: new Date(`${values.day}T00:00`).toISOString(),
          ...(subject !== '' && { subject: { kind: 'customer' as const, id: subject } }),
        },
      })
      onClose()
      void refresh(listWorkspaceRegister)
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={texts.registers[register].add} form={form} send={words.send} onClose={onClose}>
      <SelectField
        required
        name="category"
        label={words.category}
        choices={categories.map(value => ({ value, label: texts.categories[value] }))}
      />
      <TextField name="title" label={words.title} maxLength={200} autoComplete="off" />
      <TextAreaField name="text" label={words.text} maxLength={4000} />
      <TextField name="day" label={words.day} type="date" />
      {register === 'complaints' && (
        <TextField name="subject" label={words.subject} maxLength={200} autoComplete="off" optional />
      )}
      <ReachFields />
    </FormPanel>
  )
}

function StepForm({ entry: { id, register } }: { entry: RegisterEntry }) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: { text: '', closes: [] as string[], ...noReach },
    check: (values): FormErrors => ({
      ...(values.text.trim() === '' && { text: words.missing }),
      ...reachErrors(values),
    }),
    send: async values => {
      const body = { text: values.text.trim(), closes: values.closes.length > 0, ...reachOf(values) }
      await operator.call(addWorkspaceRegisterStep, { params: { anchorId, register, id }, body })
      void refresh(listWorkspaceRegister)
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormShell form={form}>
      <TextAreaField name="text" label={words.step} maxLength={4000} />
      <ReachFields />
      <ChoicesField
        name="closes"
        label={words.closes}
        choices={[{ value: 'closes', label: words.yes }]}
        optional
      />
      <Button type="submit" pending={form.pending}>
        {words.send}
      </Button>
    </FormShell>
  )
}
