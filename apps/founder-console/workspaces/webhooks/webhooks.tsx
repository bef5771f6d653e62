import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  type WebhookDelivery,
  type WebhookEndpoint,
  webhookEvents,
} from '@windlass/contracts/anchor/developer-api.ts'
import {
  createWorkspaceWebhook,
  deleteWorkspaceWebhook,
  listWorkspaceDeliveries,
  listWorkspaceWebhooks,
  replayWorkspaceDelivery,
  testWorkspaceWebhook,
} from '@windlass/contracts/platform/workspace-records.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { SearchForm, type SearchField } from '@windlass/ui/console/search-form.tsx'
import { CopyButton, Identifier } from '@windlass/ui/copy-button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { Notice, Status, type Tone } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Code, type Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { refresh } from '../../queries.ts'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { webhooks as texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages as mayAct } from '../manages.ts'

const refreshAll = () => void refresh(listWorkspaceWebhooks, listWorkspaceDeliveries)

/** Endpoints for the anchor's events, and what was delivered to them. */
export function Component() {
  return (
    <div className="space-y-8">
      <Endpoints />
      <Deliveries />
    </div>
  )
}

function Endpoints() {
  const { id: anchorId, role } = useWorkspace()
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<WebhookEndpoint>()
  const [secret, setSecret] = useState<string>()
  const list = useInfiniteQuery(operator.pages(listWorkspaceWebhooks, { params: { anchorId } }))
  const test = useMutation({
    mutationFn: (id: string) => operator.call(testWorkspaceWebhook, { params: { anchorId, id } }),
    onSettled: () => refreshAll(),
  })
  const manages = mayAct(role)
  const columns: Column<WebhookEndpoint>[] = [
    { head: texts.columns.url, className: 'wrap-anywhere font-medium max-sm:w-full', value: row => row.url },
    {
      head: texts.columns.events,
      className: 'text-soft',
      cell: row => (row.events.includes('*') ? texts.allEvents : texts.events(row.events.length)),
    },
    timeColumn(texts.columns.since, row => row.createdAt),
  ]
  if (manages)
    columns.push({
      head: texts.columns.actions,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <>
          <Button look="quiet" aria-label={texts.testWhat(row.url)} onClick={() => test.mutate(row.id)}>
            {texts.test}
          </Button>
          <Button look="quietDanger" aria-label={texts.removeWhat(row.url)} onClick={() => setRemoving(row)}>
            {texts.remove}
          </Button>
        </>
      ),
    })
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages && (
            <Button look="primary" onClick={() => setAdding(true)}>
              {texts.add}
            </Button>
          )
        }
      />
      {secret && (
        <Notice
          tone="good"
          role="status"
          title={texts.secret.title}
          actions={
            <>
              <CopyButton value={secret} what={texts.secret.what} />
              <Button look="quiet" onClick={() => setSecret(undefined)}>
                {texts.secret.done}
              </Button>
            </>
          }
        >
          <p>{texts.secret.detail}</p>
          <code className="mt-2 block rounded-6 bg-sunken p-2 font-mono text-13 break-all text-ink">
            {secret}
          </code>
        </Notice>
      )}
      {test.error && <ErrorNotice failure={describeError(test.error)} />}
      {test.isSuccess && (
        <p role="status" className="text-14 text-soft">
          {texts.tested}
        </p>
      )}
      <RecordList texts={texts} list={list} columns={columns} keyOf={row => row.id} />
      {adding && (
        <AddEndpoint
          onClose={() => setAdding(false)}
          onDone={added => {
            setAdding(false)
            setSecret(added)
            refreshAll()
          }}
        />
      )}
      {removing && <RemoveEndpoint endpoint={removing} onClose={() => setRemoving(undefined)} />}
    </section>
  )
}

const eventChoices = webhookEvents.map(value => ({ value, label: texts.eventNames[value], hint: value }))

function AddEndpoint({ onDone, onClose }: { onDone(secret: string): void; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const form = useForm({
    initial: { url: '', events: webhookEvents as readonly string[] },
    check: ({ url, events }) => {
      const errors: FormErrors = {}
      if (!/^https?:$/.test(URL.parse(url.trim())?.protocol ?? '')) errors.url = texts.url.invalid
      if (events.length === 0) errors.events = texts.eventsMissing
      return errors
    },
    send: async ({ url, events }) => {
      // All of them includes those of later versions.
      const chosen = events.length === webhookEvents.length ? ['*'] : [...events]
      const body = { url: url.trim(), events: chosen }
      onDone((await operator.call(createWorkspaceWebhook, { params: { anchorId }, body })).secret)
    },
    explain: failedAs(texts.addFailed),
  })
  return (
    <FormPanel title={texts.add} form={form} send={texts.add} onClose={onClose}>
      <TextField name="url" label={texts.url.label} hint={texts.url.hint} />
      <ChoicesField name="events" label={texts.columns.events} choices={eventChoices} />
    </FormPanel>
  )
}

function RemoveEndpoint({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const remove = useMutation({
    mutationFn: () => operator.call(deleteWorkspaceWebhook, { params: { anchorId, id: endpoint.id } }),
    onSuccess: () => {
      refreshAll()
      onClose()
    },
  })
  return (
    <SidePanel open onClose={onClose} title={texts.removeTitle}>
      <p className="mb-4 text-14 wrap-anywhere">{endpoint.url}</p>
      <p className="mb-6 text-14 text-soft">{texts.removeLead}</p>
      {remove.error && <ErrorNotice failure={describeError(remove.error)} />}
      <div className="flex flex-wrap gap-2">
        <Button look="danger" pending={remove.isPending} onClick={() => remove.mutate()}>
          {texts.confirmRemove}
        </Button>
        <Button onClick={onClose}>{texts.keep}</Button>
      </div>
    </SidePanel>
  )
}

const statuses = ['waiting', 'delivered', 'dead'] as const
const tones: Record<WebhookDelivery['status'], Tone> = { waiting: 'info', delivered: 'good', dead: 'bad' }

const fields: SearchField[] = [
  { name: 'status', label: texts.deliveries.status, choices: Object.entries(texts.deliveries.statuses) },
]

function Deliveries() {
  const { id: anchorId, role } = useWorkspace()
  const typed = useSearchParams()[0].get('status')
  const status = statuses.find(known => known === typed)
  const list = useInfiniteQuery(
    operator.pages(listWorkspaceDeliveries, { params: { anchorId }, query: { status } }),
  )
  const replay = useMutation({
    mutationFn: (id: string) => operator.call(replayWorkspaceDelivery, { params: { anchorId, id } }),
    onSettled: () => refreshAll(),
  })
  const columns: Column<WebhookDelivery>[] = [
    timeColumn(texts.deliveries.at, row => row.createdAt),
    { head: texts.deliveries.event, cell: row => <Code>{row.event}</Code> },
    {
      head: texts.deliveries.message,
      cell: row => <Identifier value={row.messageId} what={texts.deliveries.message} />,
    },
    {
      head: texts.deliveries.status,
      className: 'max-sm:w-full',
      cell: row => <DeliveryStatus delivery={row} />,
    },
  ]
  if (mayAct(role))
    columns.push({
      head: texts.columns.actions,
      className: 'text-right whitespace-nowrap',
      cell: row =>
        row.status !== 'waiting' && (
          <Button
            look="quiet"
            aria-label={texts.deliveries.replayWhat(row.messageId)}
            onClick={() => replay.mutate(row.id)}
          >
            {texts.deliveries.replay}
          </Button>
        ),
    })
  const pathTo = (values: Record<string, string | undefined>) => paths.workspace(anchorId, 'webhooks', values)
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.deliveries.title} lead={texts.deliveries.lead} />
      <SearchForm label={texts.deliveries.filter} fields={fields} values={{ status }} to={pathTo} />
      {replay.error && <ErrorNotice failure={describeError(replay.error)} />}
      <RecordList
        texts={texts.deliveries}
        list={list}
        columns={columns}
        keyOf={row => row.id}
        showAll={status ? pathTo({}) : undefined}
      />
    </section>
  )
}

function DeliveryStatus({ delivery }: { delivery: WebhookDelivery }) {
  const { status, attempts, lastError } = delivery
  return (
    <div className="space-y-1">
      <Status tone={tones[status]}>{texts.deliveries.statuses[status]}</Status>
      {attempts > 1 && <p className="text-13 text-soft">{texts.deliveries.attempts(attempts)}</p>}
      {lastError && <p className="text-13 text-soft wrap-anywhere">{lastError}</p>}
    </div>
  )
}
