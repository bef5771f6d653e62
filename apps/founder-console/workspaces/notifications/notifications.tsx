import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  AnchorNotificationKind,
  createNotificationWebhook,
  deleteNotificationWebhook,
  getNotificationPreferences,
  listNotifications,
  listNotificationWebhooks,
  notificationFormats,
  type Notification,
  type NotificationWebhook,
  setNotificationPreferences,
  testNotificationWebhook,
} from '@windlass/contracts/platform/notifications.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { queries, refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { Detail } from './detail.tsx'
import { NotificationLink } from './notification-link.tsx'
import { notifications as texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

/** What happened at the anchor, which emails the operator gets, and the webhooks. */
export function Component() {
  const { id: anchorId, role } = useWorkspace()
  return (
    <div className="space-y-8">
      <History anchorId={anchorId} />
      <Emails anchorId={anchorId} />
      <Webhooks anchorId={anchorId} manages={manages(role)} />
    </div>
  )
}

const columnsOf = (anchorId: string): Column<Notification>[] => [
  timeColumn(texts.columns.at, row => row.startedAt),
  {
    head: texts.columns.kind,
    className: 'font-medium',
    cell: row => texts.kinds[row.kind as AnchorNotificationKind] ?? row.kind,
  },
  {
    head: texts.columns.detail,
    className: 'text-soft wrap-anywhere max-sm:w-full',
    cell: row => (
      <>
        <Detail {...row} /> <NotificationLink anchorId={anchorId} {...row} />
      </>
    ),
  },
  { head: texts.columns.state, cell: row => <State notification={row} /> },
]

function State({ notification: { startedAt, endedAt } }: { notification: Notification }) {
  if (endedAt === null) return <Status tone="warn">{texts.open}</Status>
  if (endedAt === startedAt) return null
  return <Status tone="neutral">{texts.ended(formatDateTime(endedAt))}</Status>
}

function History({ anchorId }: { anchorId: string }) {
  const list = useInfiniteQuery(
    operator.pages(listNotifications, { params: { anchorId }, query: { limit: 20 } }),
  )
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <RecordList texts={texts} list={list} keyOf={row => row.id} columns={columnsOf(anchorId)} />
    </section>
  )
}

const kindChoices = AnchorNotificationKind.enum.map(value => ({ value, label: texts.kinds[value] }))
const isKind = (text: string): text is AnchorNotificationKind =>
  AnchorNotificationKind.enum.some(kind => kind === text)

const preferencesQuery = (anchorId: string) =>
  operator.query(getNotificationPreferences, { params: { anchorId } })

function Emails({ anchorId }: { anchorId: string }) {
  const preferences = useQuery(preferencesQuery(anchorId))
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.emails.title} lead={texts.emails.lead} />
      <DataScreen query={preferences} explain={describeError} skeleton={<Bar className="h-40" />}>
        {({ email }) => <EmailsForm anchorId={anchorId} email={email} />}
      </DataScreen>
    </section>
  )
}

function EmailsForm({ anchorId, email }: { anchorId: string; email: AnchorNotificationKind[] }) {
  const [saved, setSaved] = useState(false)
  const form = useForm({
    initial: { kinds: email as readonly string[] },
    check: () => ({}),
    onChange: () => setSaved(false),
    send: async ({ kinds }) => {
      const body = { email: kinds.filter(isKind) }
      const chosen = await operator.call(setNotificationPreferences, { params: { anchorId }, body })
      queries.setQueryData(preferencesQuery(anchorId).queryKey, chosen)
      setSaved(true)
    },
    explain: failedAs(texts.emails.failed),
  })
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <FormShell form={form}>
        <ChoicesField name="kinds" label={texts.emails.label} choices={kindChoices} />
        <div className="flex flex-wrap gap-4">
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.emails.save}
          </Button>
          <span role="status" className="self-center text-14 text-soft">
            {saved && texts.emails.saved}
          </span>
        </div>
      </FormShell>
    </Panel>
  )
}

const webhooksQuery = (anchorId: string) =>
  operator.query(listNotificationWebhooks, { params: { anchorId } }, { refetchInterval: 15_000 })

function Webhooks({ anchorId, manages }: { anchorId: string; manages: boolean }) {
  const webhooks = useQuery(webhooksQuery(anchorId))
  const [adding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  const refreshWebhooks = () => refresh(listNotificationWebhooks)
  const act = useMutation({
    mutationFn: ({ id, remove }: { id: string; remove: boolean }) =>
      operator.call(remove ? deleteNotificationWebhook : testNotificationWebhook, {
        params: { anchorId, id },
      }),
    onSettled: refreshWebhooks,
  })
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.webhooks.title}
        lead={texts.webhooks.lead}
        actions={manages && <Button onClick={() => setAdding(true)}>{texts.webhooks.add}</Button>}
      />
      {secret && <Secret secret={secret} onDone={() => setSecret(undefined)} />}
      {act.error && <ErrorNotice failure={describeError(act.error)} />}
      <DataScreen
        query={webhooks}
        explain={describeError}
        skeleton={<Bar className="h-16" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.webhooks.empty.title}>{texts.webhooks.empty.detail}</Empty>}
      >
        {rows => (
          <Table
            caption={texts.webhooks.title}
            rows={rows}
            keyOf={row => row.id}
            columns={webhookColumns(manages ? (id, remove) => act.mutate({ id, remove }) : undefined)}
          />
        )}
      </DataScreen>
      {adding && (
        <AddWebhook
          anchorId={anchorId}
          onClose={() => setAdding(false)}
          onDone={added => {
            setAdding(false)
            setSecret(added)
            void refreshWebhooks()
          }}
        />
      )}
    </section>
  )
}

function webhookColumns(
  onAct: ((id: string, remove: boolean) => void) | undefined,
): Column<NotificationWebhook>[] {
  const all: Column<NotificationWebhook>[] = [
    { head: texts.webhooks.columns.url, className: 'wrap-anywhere max-sm:w-full', value: row => row.url },
    {
      head: texts.webhooks.columns.kinds,
      className: 'text-soft',
      cell: row => texts.webhooks.kinds(row.kinds.length, kindChoices.length),
    },
    { head: texts.webhooks.columns.state, cell: row => <WebhookState webhook={row} /> },
  ]
  if (!onAct) return all
  const actions: Column<NotificationWebhook> = {
    head: texts.webhooks.columns.actions,
    className: 'text-right whitespace-nowrap',
    cell: ({ id, url }) => (
      <>
        <Button look="quiet" aria-label={texts.webhooks.testWhat(url)} onClick={() => onAct(id, false)}>
          {texts.webhooks.test}
        </Button>
        <Button
          look="quietDanger"
          aria-label={texts.webhooks.removeWhat(url)}
          onClick={() => onAct(id, true)}
        >
          {texts.webhooks.remove}
        </Button>
      </>
    ),
  }
  return [...all, actions]
}

function WebhookState({ webhook: { lastSentAt, lastError } }: { webhook: NotificationWebhook }) {
  if (lastSentAt === null) return <span className="text-soft">{texts.webhooks.never}</span>
  if (lastError === null) return <Status tone="good">{texts.webhooks.delivered}</Status>
  return (
    <div className="space-y-1">
      <Status tone="bad">{texts.webhooks.failing}</Status>
      <p className="text-13 text-soft wrap-anywhere">{lastError}</p>
    </div>
  )
}

function Secret({ secret, onDone }: { secret: string; onDone(): void }) {
  return (
    <Notice
      tone="good"
      role="status"
      title={texts.webhooks.secret.title}
      actions={
        <>
          <CopyButton value={secret} what={texts.webhooks.secret.what} />
          <Button look="quiet" onClick={onDone}>
            {texts.webhooks.secret.done}
          </Button>
        </>
      }
    >
      <p>{texts.webhooks.secret.detail}</p>
      <code className="mt-2 block rounded-6 bg-sunken p-2 font-mono text-13 break-all text-ink">
        {secret}
      </code>
    </Notice>
  )
}

interface AddWebhookProps {
  anchorId: string
  onDone(secret: string): void
  onClose(): void
}

function AddWebhook({ anchorId, onDone, onClose }: AddWebhookProps) {
  const form = useForm({
    initial: { url: '', format: 'standard', kinds: AnchorNotificationKind.enum as readonly string[] },
    check: ({ url, kinds }) => {
      const errors: FormErrors = {}
      if (!URL.canParse(url.trim())) errors.url = texts.webhooks.url.invalid
      if (kinds.length === 0) errors.kinds = texts.webhooks.missing
      return errors
    },
    send: async ({ url, format: chosen, kinds }) => {
      const format = notificationFormats.find(each => each === chosen)
      const body = { url: url.trim(), format, kinds: kinds.filter(isKind) }
      onDone((await operator.call(createNotificationWebhook, { params: { anchorId }, body })).secret)
    },
    explain: failedAs(texts.webhooks.failed),
  })
  return (
    <FormPanel title={texts.webhooks.add} form={form} send={texts.webhooks.add} onClose={onClose}>
      <SelectField
        name="format"
        required
        {...texts.webhooks.format}
        choices={notificationFormats.map(value => ({ value, label: texts.webhooks.format[value] }))}
      />
      <TextField name="url" label={texts.webhooks.url.label} hint={texts.webhooks.url.hint} />
      <ChoicesField name="kinds" label={texts.webhooks.columns.kinds} choices={kindChoices} />
    </FormPanel>
  )
}
