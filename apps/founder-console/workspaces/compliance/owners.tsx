import { type BeneficialOwner, ownerControls } from '@windlass/contracts/anchor/beneficial-owners.ts'
import {
  addWorkspaceBeneficialOwner,
  endWorkspaceBeneficialOwner,
  listWorkspaceBeneficialOwners,
} from '@windlass/contracts/platform/workspace-beneficial-owners.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { RecordList, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatCountry, formatDate, formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './owner-texts.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Who owns or controls customers that are organizations. */
export function BeneficialOwners() {
  const { id: anchorId, role, subdomain } = useWorkspace()
  const [open, setOpen] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  const { columns: heads } = texts
  const input = { params: { anchorId }, query: {} }
  const list = useInfiniteQuery(operator.pages(listWorkspaceBeneficialOwners, input))
  const owner = rowsOf(list).find(({ id }) => id === open)
  const columns: Column<BeneficialOwner>[] = [
    {
      head: heads.name,
      className: 'font-medium wrap-anywhere',
      value: row => row.name,
      cell: row => (
        <Button look="quiet" onClick={() => setOpen(row.id)}>
          {row.name}
        </Button>
      ),
    },
    {
      head: heads.customer,
      className: 'wrap-anywhere',
      value: row => row.organization ?? row.customer,
    },
    { head: heads.control, named: true, value: row => texts.controls[row.control] },
    { head: heads.share, named: true, numeric: true, value: row => row.share },
    { head: heads.country, named: true, value: row => row.country && formatCountry(row.country) },
    {
      head: heads.asOf,
      className: 'whitespace-nowrap text-soft',
      value: row => row.asOf,
      cell: row => formatDate(row.asOf),
    },
    {
      head: heads.status,
      value: row => (row.ended ? texts.ended : texts.current),
      cell: row => (
        <Status tone={row.ended ? 'neutral' : 'good'}>{row.ended ? texts.ended : texts.current}</Status>
      ),
    },
  ]
  const also: Column<BeneficialOwner>[] = [
    { head: heads.customerId, value: row => row.customer },
    { head: heads.birthDate, value: row => row.birthDate },
    { head: heads.source, value: row => row.source },
    { head: heads.evidence, value: row => row.evidence },
    { head: heads.by, value: row => row.by },
    { head: heads.at, value: row => row.createdAt },
    { head: heads.reason, value: row => row.ended?.reason ?? null },
  ]
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages(role, 'compliance') && (
            <Button look="primary" onClick={() => setAdding(true)}>
              {texts.add}
            </Button>
          )
        }
      />
      <RecordList
        texts={texts}
        list={list}
        columns={columns}
        keyOf={row => row.id}
        saved={{
          name: `${subdomain}-beneficial-owners`,
          all: operator.all(listWorkspaceBeneficialOwners, input),
          also,
        }}
      />
      {isAdding && <AddForm onClose={() => setAdding(false)} />}
      {owner && <OwnerPanel key={owner.id} owner={owner} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

function OwnerPanel({ owner, onClose }: { owner: BeneficialOwner; onClose(): void }) {
  const { role } = useWorkspace()
  const nameOf = useMemberName()
  const { columns: heads } = texts
  const facts = [
    [heads.customer, owner.organization],
    [heads.customerId, owner.customer],
    [heads.birthDate, owner.birthDate && formatDate(owner.birthDate)],
    [heads.country, owner.country && formatCountry(owner.country)],
    [heads.control, texts.controls[owner.control]],
    [heads.share, owner.share],
    [heads.source, owner.source],
    [heads.asOf, formatDate(owner.asOf)],
    [heads.evidence, owner.evidence],
    [heads.by, nameOf(owner.by)],
    [heads.at, formatDateTime(owner.createdAt)],
    [texts.ended, owner.ended && `${nameOf(owner.ended.by)} · ${formatDateTime(owner.ended.at)}`],
    [heads.reason, owner.ended?.reason],
  ] as const
  return (
    <SidePanel open onClose={onClose} title={owner.name}>
      <div className="space-y-6">
        <Facts>
          {facts.map(
            ([name, value]) =>
              value && (
                <Fact key={name} name={name}>
                  <span className="whitespace-pre-wrap wrap-anywhere">{value}</span>
                </Fact>
              ),
          )}
        </Facts>
        {!owner.ended && manages(role, 'compliance') && <EndForm owner={owner} onDone={onClose} />}
      </div>
    </SidePanel>
  )
}

const empty = { customer: '', name: '', birthDate: '', country: '', control: 'shares', share: '' }

function AddForm({ onClose }: { onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: { ...empty, source: '', asOf: '', evidence: '' },
    check: (values): FormErrors => ({
      ...(values.customer.trim() === '' && { customer: words.missing }),
      ...(values.name.trim() === '' && { name: words.missing }),
      ...(!/^([A-Z]{2})?$/i.test(values.country.trim()) && { country: words.invalidCountry }),
      ...(!/^(100(\.0{1,2})?|\d{1,2}(\.\d{1,2})?)?$/.test(values.share.trim()) && {
        share: words.invalidShare,
      }),
      ...(values.source.trim() === '' && { source: words.missing }),
      ...(!DAY.test(values.asOf) && { asOf: words.invalidDay }),
      ...(values.evidence.trim() === '' && { evidence: words.missing }),
    }),
    send: async values => {
      await operator.call(addWorkspaceBeneficialOwner, {
        params: { anchorId, id: values.customer.trim() },
        body: {
          ...{ name: values.name.trim(), birthDate: values.birthDate || null },
          country: values.country.trim().toUpperCase() || null,
          control: ownerControls.find(each => each === values.control) ?? 'shares',
          ...{ share: values.share.trim() || null, source: values.source.trim(), asOf: values.asOf },
          evidence: values.evidence.trim(),
        },
      })
      onClose()
      void refresh(listWorkspaceBeneficialOwners)
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <TextField name="customer" {...words.customer} maxLength={200} autoComplete="off" />
      <TextField name="name" label={words.name} maxLength={200} autoComplete="off" />
      <TextField name="birthDate" label={words.birthDate} type="date" optional />
      <TextField name="country" {...words.country} maxLength={2} autoComplete="off" optional />
      <SelectField
        required
        name="control"
        label={words.control}
        choices={ownerControls.map(value => ({ value, label: texts.controls[value] }))}
      />
      <TextField name="share" {...words.share} maxLength={6} autoComplete="off" optional />
      <TextField name="source" {...words.source} maxLength={200} autoComplete="off" />
      <TextField name="asOf" label={words.asOf} type="date" />
      <TextAreaField name="evidence" {...words.evidence} maxLength={2000} />
    </FormPanel>
  )
}

function EndForm({ owner: { id, name }, onDone }: { owner: BeneficialOwner; onDone(): void }) {
  const { id: anchorId } = useWorkspace()
  const { end: words, form: fields } = texts
  const form = useForm({
    initial: { reason: '' },
    check: ({ reason }): FormErrors => ({ ...(reason.trim() === '' && { reason: fields.missing }) }),
    send: async ({ reason }) => {
      await operator.call(endWorkspaceBeneficialOwner, {
        params: { anchorId, id },
        body: { reason: reason.trim() },
      })
      void refresh(listWorkspaceBeneficialOwners)
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{words.title(name)}</h3>
      <p className="text-13 text-soft">{words.lead}</p>
      <FormShell form={form}>
        <TextAreaField name="reason" label={words.reason} maxLength={2000} />
        <Button type="submit" look="danger" pending={form.pending}>
          {words.action}
        </Button>
      </FormShell>
    </section>
  )
}
