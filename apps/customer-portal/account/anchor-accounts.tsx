import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  type AnchorAccount,
  confirmAnchorAccount,
  listAnchorAccounts,
  removeAnchorAccount,
} from '@windlass/contracts/platform/customers.ts'
import { useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime, shorten } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { call, queries, query } from '../api.ts'
import { anchorAccounts as texts } from './texts.ts'

const accountsQuery = query(listAnchorAccounts)

type Action = { kind: 'confirm' | 'remove'; account: AnchorAccount }

const nameOf = ({ account, memo }: AnchorAccount) => `${shorten(account)}${memo === null ? '' : ` · ${memo}`}`
const anchorOf = ({ anchor }: AnchorAccount) => anchor.organizationName || anchor.homeDomain

/** Accounts that signed in at anchors with the customer's email address: to confirm, refuse or remove. */
export function AnchorAccounts() {
  const { data: rows = [], error } = useQuery(accountsQuery)
  const [action, setAction] = useState<Action>()
  if (error) return <ErrorNotice failure={{ ...describeError(error), title: texts.failed }} />
  if (rows.length === 0) return null
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <Table caption={texts.title} columns={columnsOf(setAction)} rows={rows} keyOf={row => row.id} />
      {action && <Decide {...action} onClose={() => setAction(undefined)} />}
    </section>
  )
}

const columnsOf = (setAction: (action: Action) => void): Column<AnchorAccount>[] => [
  {
    head: texts.columns.account,
    cell: row => (
      <>
        <Identifier value={row.account} what={texts.columns.account.toLowerCase()} />
        {row.memo !== null && <p className="text-13 text-soft wrap-anywhere">{texts.memo(row.memo)}</p>}
      </>
    ),
  },
  {
    head: texts.columns.anchor,
    className: 'wrap-anywhere',
    cell: row => (
      <>
        {row.anchor.organizationName}
        <p className="text-13 text-soft">{row.anchor.homeDomain}</p>
      </>
    ),
  },
  { head: texts.columns.since, className: 'text-soft', cell: row => formatDateTime(row.createdAt) },
  {
    head: texts.columns.status,
    cell: row =>
      row.status === 'waiting' ? (
        <Status tone="warn">{texts.waiting}</Status>
      ) : (
        <Status tone="good">{texts.confirmed}</Status>
      ),
  },
  {
    head: texts.columns.actions,
    className: 'text-right whitespace-nowrap',
    cell: account => (
      <>
        {account.status === 'waiting' && (
          <Button
            look="quiet"
            aria-label={texts.confirm.actionOf(nameOf(account))}
            onClick={() => setAction({ kind: 'confirm', account })}
          >
            {texts.confirm.action}
          </Button>
        )}
        <Button
          look="quietDanger"
          aria-label={texts.remove.actionOf(nameOf(account))}
          onClick={() => setAction({ kind: 'remove', account })}
        >
          {texts.remove.action}
        </Button>
      </>
    ),
  },
]

function Decide({ kind, account, onClose }: Action & { onClose(): void }) {
  const lead =
    kind === 'confirm' ? texts.confirm.lead(anchorOf(account), account.anchor.homeDomain) : texts.remove.lead
  const decide = async () => {
    const params = { id: account.id }
    await (kind === 'confirm'
      ? call(confirmAnchorAccount, { params })
      : call(removeAnchorAccount, { params }))
    // A confirmed wallet moves to the list of wallets.
    await queries.invalidateQueries()
    onClose()
  }
  return (
    <ConfirmPanel
      title={texts[kind].title}
      lead={
        <div className="mb-6 space-y-4">
          <Facts>
            <Fact name={texts.columns.account}>
              <span className="font-mono text-13 break-all">{account.account}</span>
              {account.memo !== null && <p className="wrap-anywhere">{texts.memo(account.memo)}</p>}
            </Fact>
            <Fact name={texts.columns.anchor}>
              {anchorOf(account)} ({account.anchor.homeDomain})
            </Fact>
          </Facts>
          <p className="text-14">{lead}</p>
        </div>
      }
      send={texts[kind].submit}
      look={kind === 'confirm' ? 'primary' : 'danger'}
      act={decide}
      explain={failedAs(texts[kind].failed)}
      onClose={onClose}
    />
  )
}
