import type { OutsideFinding } from '@windlass/contracts/anchor/compliance.ts'
import type { OutsideChecks } from '@windlass/contracts/anchor/outside-checks.ts'
import {
  getWorkspaceOutsideChecks,
  setWorkspaceOutsideCheck,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Fact, SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './outside-texts.ts'
import { WeakeningField, weakeningOf } from './weakening.tsx'

type OutsideCheck = OutsideChecks['checks'][number]

/** Programs that are asked before money leaves. */
export function OutsideChecksSection() {
  const { id: anchorId, role } = useWorkspace()
  const [changing, setChanging] = useState<OutsideCheck>()
  const [secret, setSecret] = useState<string | null>(null)
  const found = useQuery(operator.query(getWorkspaceOutsideChecks, { params: { anchorId } }))
  const { columns: heads } = texts
  const columns: Column<OutsideCheck>[] = [
    { head: heads.kind, className: 'font-medium', cell: row => texts.kinds[row.kind] },
    { head: heads.url, className: 'wrap-anywhere', cell: row => row.url ?? texts.none },
    { head: heads.answers, named: true, numeric: true, value: row => row.answers },
    {
      head: heads.last,
      className: 'whitespace-nowrap text-soft',
      cell: row => (row.lastAnswerAt ? formatDateTime(row.lastAnswerAt) : texts.never),
    },
  ]
  if (manages(role, 'compliance'))
    columns.push({
      head: heads.actions,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <Button
          look="quiet"
          aria-label={texts.changeWhat(texts.kinds[row.kind])}
          onClick={() => setChanging(row)}
        >
          {texts.change}
        </Button>
      ),
    })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-24" />}>
        {({ checks }) => (
          <Table caption={texts.title} columns={columns} rows={checks} keyOf={row => row.kind} />
        )}
      </DataScreen>
      {secret && (
        <div role="status" className="space-y-1 rounded-8 border border-line p-3 text-14">
          <p>{texts.form.secret}</p>
          <p className="font-mono wrap-anywhere">{secret}</p>
        </div>
      )}
      {changing && (
        <ChangeForm
          check={changing}
          onDone={given => {
            setSecret(given)
            setChanging(undefined)
            void refresh(getWorkspaceOutsideChecks)
          }}
          onClose={() => setChanging(undefined)}
        />
      )}
    </section>
  )
}

function ChangeForm({
  check: { kind, url, version },
  onDone,
  onClose,
}: {
  check: OutsideCheck
  onDone(secret: string | null): void
  onClose(): void
}) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: { url: url ?? '', reason: '' },
    check: (values): FormErrors =>
      values.url.trim() === '' || /^https?:\/\//.test(values.url.trim()) ? {} : { url: words.invalid },
    send: async values => {
      const body = { url: values.url.trim() || null, version, ...weakeningOf(values.reason) }
      const { secret } = await operator.call(setWorkspaceOutsideCheck, { params: { anchorId, kind }, body })
      onDone(secret)
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} lead={texts.kinds[kind]} form={form} send={words.send} onClose={onClose}>
      <TextField name="url" label={words.url} hint={words.hint} maxLength={500} autoComplete="off" optional />
      <WeakeningField />
    </FormPanel>
  )
}

/** What a program found. */
export function OutsideFacts({ outside: { kind, evidence, reference } }: { outside: OutsideFinding }) {
  const { hit } = texts
  return (
    <>
      <Fact name={hit.about}>{texts.kinds[kind]}</Fact>
      {evidence !== null && (
        <Fact name={hit.found}>
          <span className="whitespace-pre-wrap wrap-anywhere">{evidence}</span>
        </Fact>
      )}
      {reference !== null && <Fact name={hit.reference}>{reference}</Fact>}
    </>
  )
}
