import { type ErasureAnswer, MAX_YEARS, type Retention } from '@windlass/contracts/anchor/retention.ts'
import {
  getWorkspaceCustomerCopy,
  getWorkspaceRetention,
  setWorkspaceRetention,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { saveFile } from '@windlass/ui/console/csv.ts'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatDate } from '@windlass/ui/formats.ts'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { useWorkspace } from '../workspace.tsx'
import { EraseForm, Erased } from './erasure.tsx'
import { texts as erasureTexts } from './erasure-texts.ts'
import { texts } from './retention-texts.ts'
import { type ChangeProps, VersionedRules } from './versioned-rules.tsx'
import { WeakeningField, weakeningOf } from './weakening.tsx'

type Current = Retention['history'][number]
type Removal = Retention['removals'][number]

const columns = (): Column<Removal>[] => [
  { head: texts.columns.kind, value: row => texts.kinds[row.kind] },
  { head: texts.columns.count, numeric: true, value: row => row.count },
  {
    head: texts.columns.before,
    className: 'whitespace-nowrap',
    value: row => row.before,
    cell: row => formatDate(row.before.slice(0, 10)),
  },
  timeColumn(texts.columns.at, row => row.at),
]

/** For how long personal data is kept, and what was removed when its time was over. */
export function RetentionRules() {
  const { id: anchorId, role } = useWorkspace()
  const found = useQuery(operator.query(getWorkspaceRetention, { params: { anchorId } }))
  const { kept = 0, removals = [] } = found.data ?? {}
  const [isCopying, setCopying] = useState(false)
  const [isErasing, setErasing] = useState(false)
  const [erased, setErased] = useState<ErasureAnswer>()
  return (
    <div className="space-y-4">
      <VersionedRules<Current>
        texts={texts}
        found={found}
        refresh={() => void refresh(getWorkspaceRetention)}
        show={({ rules }) => (
          <>
            <Facts>
              <Fact name={texts.customers}>{String(rules.customerYears)}</Fact>
              <Fact name={texts.travel}>{String(rules.travelRecordYears)}</Fact>
              {rules.paymentRecordYears !== undefined && (
                <Fact name={texts.payments}>{String(rules.paymentRecordYears)}</Fact>
              )}
              {rules.caseRecordYears !== undefined && (
                <Fact name={texts.cases}>{String(rules.caseRecordYears)}</Fact>
              )}
              <Fact name={texts.kept}>{String(kept)}</Fact>
            </Facts>
            {removals.length > 0 && (
              <Table
                caption={texts.removals}
                columns={columns()}
                rows={removals}
                keyOf={({ kind, at }) => `${kind} ${at}`}
              />
            )}
          </>
        )}
        form={ChangeForm}
      />
      {manages(role, 'compliance') && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setCopying(true)}>{texts.copy.action}</Button>
          <Button onClick={() => setErasing(true)}>{erasureTexts.action}</Button>
        </div>
      )}
      {erased && <Erased answer={erased} />}
      {isErasing && (
        <EraseForm
          onDone={answer => {
            setErased(answer)
            setErasing(false)
            void refresh(getWorkspaceRetention)
          }}
          onClose={() => setErasing(false)}
        />
      )}
      {isCopying && <CopyForm onClose={() => setCopying(false)} />}
    </div>
  )
}

/** Saves everything that the anchor has of a customer, also of one who left and is kept. */
function CopyForm({ onClose }: { onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const { copy: words } = texts
  const form = useForm({
    initial: { customer: '' },
    check: ({ customer }): FormErrors => ({ ...(customer.trim() === '' && { customer: words.missing }) }),
    send: async ({ customer }) => {
      const params = { anchorId, id: customer.trim() }
      const file = await operator.open(getWorkspaceCustomerCopy, { params })
      saveFile(`customer-${customer.trim()}.json`, await file.blob())
      onClose()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.action} form={form} send={words.send} lead={words.lead} onClose={onClose}>
      <TextField name="customer" label={words.id} maxLength={200} autoComplete="off" />
    </FormPanel>
  )
}

const isYears = (text: string): boolean => /^\d{1,2}$/.test(text.trim()) && +text >= 1 && +text <= MAX_YEARS

function ChangeForm({ current: { rules, version }, onDone, onClose }: ChangeProps<Current>) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  // An anchor of an earlier release has the first two alone.
  const hasMore = rules.paymentRecordYears !== undefined
  const form = useForm({
    initial: {
      ...{ customers: String(rules.customerYears), travel: String(rules.travelRecordYears), reason: '' },
      ...{ payments: String(rules.paymentRecordYears ?? ''), cases: String(rules.caseRecordYears ?? '') },
    },
    check: ({ customers, travel, payments, cases }): FormErrors => ({
      ...(!isYears(customers) && { customers: words.invalid }),
      ...(!isYears(travel) && { travel: words.invalid }),
      ...(hasMore && !isYears(payments) && { payments: words.invalid }),
      ...(hasMore && !isYears(cases) && { cases: words.invalid }),
    }),
    send: async ({ customers, travel, payments, cases, reason }) => {
      const wanted = {
        ...{ customerYears: Number(customers), travelRecordYears: Number(travel) },
        ...(hasMore && { paymentRecordYears: Number(payments), caseRecordYears: Number(cases) }),
      }
      await operator.call(setWorkspaceRetention, {
        params: { anchorId },
        body: { rules: wanted, version, ...weakeningOf(reason) },
      })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <TextField name="customers" label={texts.customers} autoComplete="off" maxLength={2} />
      <TextField name="travel" label={texts.travel} autoComplete="off" maxLength={2} />
      {hasMore && <TextField name="payments" label={texts.payments} autoComplete="off" maxLength={2} />}
      {hasMore && <TextField name="cases" label={texts.cases} autoComplete="off" maxLength={2} />}
      <WeakeningField />
    </FormPanel>
  )
}
