import { failedAs } from '@windlass/ui/console/errors.ts'
import type { SendingAnchor } from '@windlass/contracts/anchor/sending-anchors.ts'
import {
  deleteWorkspaceSendingAnchor,
  listWorkspaceSendingAnchors,
  putWorkspaceSendingAnchor,
} from '@windlass/contracts/platform/workspace-sending-anchors.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { tiers } from '@windlass/contracts/anchor/anchor-settings.ts'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatDate } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { operator } from '../../session.ts'
import { texts as settings } from '../settings/texts.ts'
import { texts } from './agreement-texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { type FormProps, useEntryForms } from './entry-forms.tsx'

/** Other anchors that may send direct payments. */
export function Agreements() {
  const { id: anchorId } = useWorkspace()
  const list = useInfiniteQuery(
    operator.pages(listWorkspaceSendingAnchors, { params: { anchorId }, query: {} }),
  )
  const {
    columns: actions,
    add,
    opened,
  } = useEntryForms<SendingAnchor>({
    texts: { ...texts, change: texts.change.action },
    listed: listWorkspaceSendingAnchors,
    form: (agreement, props) => <AgreementForm agreement={agreement} {...props} />,
    ending: (agreement, props) => <EndForm agreement={agreement} {...props} />,
  })
  const { columns: heads } = texts
  const columns: Column<SendingAnchor>[] = [
    { head: heads.name, className: 'font-medium wrap-anywhere', value: row => row.name },
    {
      head: heads.account,
      cell: row => <Identifier value={row.account} what={texts.accountOf(row.name)} />,
    },
    { head: heads.tier, cell: row => settings.limits.tiers[row.tier ?? 'standard'] },
    { head: heads.lei, named: true, className: 'font-mono', value: row => row.lei ?? null },
    { head: heads.licence, named: true, className: 'wrap-anywhere', value: row => row.licence ?? null },
    {
      head: heads.term,
      className: 'whitespace-nowrap text-soft',
      value: row =>
        texts.term(row.agreedOn ? formatDate(row.agreedOn) : '', row.endsOn ? formatDate(row.endsOn) : ''),
    },
    timeColumn(heads.at, row => row.createdAt),
    ...actions,
  ]
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} actions={add} />
      <RecordList texts={texts} list={list} columns={columns} keyOf={row => row.account} />
      {opened}
    </section>
  )
}

function AgreementForm({ agreement, onDone, onClose }: FormProps & { agreement: SendingAnchor | undefined }) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: {
      name: agreement?.name ?? '',
      account: agreement?.account ?? '',
      tier: agreement?.tier ?? 'standard',
      ...{ lei: agreement?.lei ?? '', licence: agreement?.licence ?? '' },
      ...{ agreed: agreement?.agreedOn ?? '', ends: agreement?.endsOn ?? '' },
    },
    check: ({ name, account, lei }) => {
      const errors: FormErrors = {}
      if (!/^([A-Z0-9]{18}\d{2})?$/i.test(lei.trim())) errors.lei = words.lei.invalid
      if (name.trim() === '') errors.name = words.name.missing
      if (!/^G[A-Z2-7]{55}$/.test(account.trim())) errors.account = words.account.invalid
      return errors
    },
    send: async ({ name, account, tier, lei, licence, agreed, ends }) => {
      const params = { anchorId, account: account.trim() }
      const body = {
        ...{ name: name.trim(), tier: tiers.find(each => each === tier) ?? ('standard' as const) },
        ...{ lei: lei.trim().toUpperCase() || null, licence: licence.trim() || null },
        ...{ agreedOn: agreed || null, endsOn: ends || null },
      }
      await operator.call(putWorkspaceSendingAnchor, { params, body })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel
      title={agreement ? texts.change.title : words.title}
      form={form}
      send={agreement ? texts.change.send : words.send}
      onClose={onClose}
    >
      <TextField name="name" label={words.name.label} hint={words.name.hint} maxLength={100} />
      {!agreement && (
        <TextField
          name="account"
          label={words.account.label}
          hint={words.account.hint}
          autoComplete="off"
          maxLength={56}
        />
      )}
      <ChoicesField
        single
        name="tier"
        {...words.tier}
        choices={tiers.map(value => ({ value, label: settings.limits.tiers[value] }))}
      />
      <TextField name="lei" label={words.lei.label} autoComplete="off" maxLength={20} optional />
      <TextField name="licence" label={words.licence} autoComplete="off" maxLength={200} optional />
      <TextField name="agreed" label={words.agreed} type="date" optional />
      <TextField name="ends" {...words.ends} type="date" optional />
    </FormPanel>
  )
}

function EndForm({
  agreement: { account, name },
  onDone,
  onClose,
}: FormProps & { agreement: SendingAnchor }) {
  const { id: anchorId } = useWorkspace()
  const { ending: words } = texts
  return (
    <ConfirmPanel
      title={words.title(name)}
      lead={words.lead}
      send={words.send}
      look="danger"
      act={async () => {
        await operator.call(deleteWorkspaceSendingAnchor, { params: { anchorId, account } })
        onDone()
      }}
      explain={failedAs(words.failed)}
      onClose={onClose}
    />
  )
}
