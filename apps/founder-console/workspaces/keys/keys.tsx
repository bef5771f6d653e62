import { SectionHeading } from '@windlass/ui/page.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import { type ApiKey, listApiKeys, type NewApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo } from '@windlass/ui/format-units.ts'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { SavedTable } from '@windlass/ui/console/saved-table.tsx'
import { Code, type Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { keys as texts } from './texts.ts'
import { CreateKey, RevealedKey, RevokeKey, RollKey } from './key-forms.tsx'
import { useWorkspace } from '../workspace.tsx'
import { manages as mayAct } from '../manages.ts'

const keysQuery = (anchorId: string) => operator.query(listApiKeys, { params: { anchorId } })

type Action = { kind: 'create' } | { kind: 'roll' | 'revoke'; apiKey: ApiKey }

export function Component() {
  const { id: anchorId, homeDomain, role, subdomain } = useWorkspace()
  const keys = useQuery(keysQuery(anchorId))
  const now = useNow(30_000)
  const [action, setAction] = useState<Action>()
  const [revealed, setRevealed] = useState<NewApiKey>()
  const manages = mayAct(role)

  const done = async (made?: NewApiKey): Promise<void> => {
    await refresh(listApiKeys)
    setAction(undefined)
    setRevealed(made)
  }
  const close = () => setAction(undefined)
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages && (
            <Button look="primary" onClick={() => setAction({ kind: 'create' })}>
              {texts.create}
            </Button>
          )
        }
      />
      {revealed && (
        <RevealedKey made={revealed} homeDomain={homeDomain} onDone={() => setRevealed(undefined)} />
      )}
      <DataScreen
        query={keys}
        explain={describeError}
        skeleton={<Bar className="h-32" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
      >
        {rows => (
          <SavedTable
            name={`${subdomain}-keys`}
            caption={texts.title}
            rows={rows}
            keyOf={row => row.id}
            columns={columnsOf(now, manages ? setAction : undefined)}
          />
        )}
      </DataScreen>
      {action?.kind === 'create' && (
        <CreateKey anchorId={anchorId} onDone={made => void done(made)} onClose={close} />
      )}
      {action?.kind === 'roll' && (
        <RollKey
          anchorId={anchorId}
          apiKey={action.apiKey}
          onDone={made => void done(made)}
          onClose={close}
        />
      )}
      {action?.kind === 'revoke' && (
        <RevokeKey anchorId={anchorId} apiKey={action.apiKey} onDone={() => void done()} onClose={close} />
      )}
    </section>
  )
}

function columnsOf(now: number, onAction: ((action: Action) => void) | undefined): Column<ApiKey>[] {
  const isInactive = (key: ApiKey) => key.revokedAt !== null || isExpired(key, now)
  const columns: Column<ApiKey>[] = [
    { head: texts.columns.name, className: 'font-medium max-sm:w-full', value: key => key.name },
    { head: texts.columns.prefix, value: key => key.prefix, cell: key => <Code>{key.prefix}…</Code> },
    { head: texts.columns.scopes, className: 'text-soft', value: key => key.scopes.join(', ') },
    {
      head: texts.columns.lastUsed,
      named: true,
      className: 'text-soft whitespace-nowrap',
      value: key => key.lastUsedAt,
      cell: key => (key.lastUsedAt ? formatAgo(Date.parse(key.lastUsedAt), now) : texts.never),
    },
    { head: texts.columns.state, cell: key => <KeyState apiKey={key} now={now} /> },
  ]
  if (!onAction) return columns
  return [
    ...columns,
    {
      head: texts.columns.actions,
      className: 'text-right whitespace-nowrap',
      cell: key =>
        !isInactive(key) && (
          <>
            <Button
              look="quiet"
              aria-label={texts.rollWhat(key.name)}
              onClick={() => onAction({ kind: 'roll', apiKey: key })}
            >
              {texts.roll}
            </Button>
            <Button
              look="quietDanger"
              aria-label={texts.revokeWhat(key.name)}
              onClick={() => onAction({ kind: 'revoke', apiKey: key })}
            >
              {texts.revoke}
            </Button>
          </>
        ),
    },
  ]
}

const isExpired = (key: ApiKey, now: number) => key.expiresAt !== null && Date.parse(key.expiresAt) <= now

function KeyState({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  if (apiKey.revokedAt)
    return (
      <Status tone="neutral" icon="cross">
        {texts.revoked}
      </Status>
    )
  if (isExpired(apiKey, now))
    return (
      <Status tone="neutral" icon="clock">
        {texts.expired}
      </Status>
    )
  if (apiKey.expiresAt) {
    return (
      <Status tone="good" icon="clock">
        {texts.activeUntil(formatDateTime(apiKey.expiresAt))}
      </Status>
    )
  }
  return <Status tone="good">{texts.active}</Status>
}
