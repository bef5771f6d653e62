import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { heldFor as owners, type JournalAccount } from '@windlass/contracts/anchor/journal.ts'
import {
  listWorkspaceJournalAccounts,
  setWorkspaceJournalAccount,
} from '@windlass/contracts/platform/workspace-journal.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { useForm } from '@windlass/ui/form.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { accountName } from '../journal-accounts.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts as all } from './texts.ts'
import { manages } from '../manages.ts'

const texts = all.accounts

/** The chart of accounts, with the numbers that an accountant gave them. */
export function Accounts() {
  const { id: anchorId, role } = useWorkspace()
  const [editing, setEditing] = useState<JournalAccount>()
  const found = useQuery(operator.query(listWorkspaceJournalAccounts, { params: { anchorId } }))
  const columns: Column<JournalAccount>[] = [
    { head: all.balances.account, cell: row => accountName(row.account) },
    { head: texts.code, cell: row => row.code ?? '' },
    { head: texts.taxKey, cell: row => row.taxKey ?? '' },
    { head: texts.heldFor, cell: row => (row.heldFor ? texts.held[row.heldFor] : '') },
  ]
  if (manages(role, 'finance'))
    columns.push({
      head: texts.edit,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <Button aria-label={texts.editWhat(accountName(row.account))} onClick={() => setEditing(row)}>
          {texts.edit}
        </Button>
      ),
    })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-56" />}>
        {rows => <Table caption={texts.title} rows={rows} keyOf={row => row.account} columns={columns} />}
      </DataScreen>
      {editing && <AccountForm account={editing} onClose={() => setEditing(undefined)} />}
    </section>
  )
}

function AccountForm({ account: row, onClose }: { account: JournalAccount; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const form = useForm({
    initial: { code: row.code ?? '', taxKey: row.taxKey ?? '', heldFor: row.heldFor ?? '' },
    check: () => ({}),
    send: async ({ code, taxKey, heldFor }) => {
      await operator.call(setWorkspaceJournalAccount, {
        params: { anchorId, account: row.account },
        body: {
          ...{ code: code.trim() || null, taxKey: taxKey.trim() || null },
          heldFor: owners.find(each => each === heldFor) ?? null,
        },
      })
      void refresh(listWorkspaceJournalAccounts)
      onClose()
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel title={accountName(row.account)} form={form} send={texts.save} onClose={onClose}>
      <TextField name="code" label={texts.code} maxLength={20} optional />
      <TextField name="taxKey" label={texts.taxKey} maxLength={10} optional />
      {row.heldFor && (
        <SelectField
          name="heldFor"
          label={texts.heldFor}
          choices={owners.map(value => ({ value, label: texts.held[value] }))}
          required
        />
      )}
    </FormPanel>
  )
}
