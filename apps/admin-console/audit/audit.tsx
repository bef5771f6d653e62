import { factsOf, phraseOf } from '@windlass/ui/console/audit-entry.ts'
import { SearchForm, type SearchField } from '@windlass/ui/console/search-form.tsx'
import { listAudit, type NamedAuditEntry, verifyAudit } from '@windlass/contracts/platform/administrators.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { DataScreen, Empty, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { shorten } from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { SavedTable } from '@windlass/ui/console/saved-table.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { Link, type LoaderFunctionArgs, useSearchParams } from 'react-router'
import { LoadMore, rowsOf, TableSkeleton } from '@windlass/ui/console/record-list.tsx'
import { all as everyEntry, call, queries, pages } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { listTexts } from '@windlass/ui/list-texts.ts'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { audit as texts } from './texts.ts'

const filterNames = ['actor', 'subject', 'action', 'from', 'until'] as const
type Filter = Partial<Record<(typeof filterNames)[number], string>>

const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.flatMap(name => (query.get(name) ? [[name, query.get(name)]] : [])))

/** The days as the reader means them: from midnight of the first until midnight after the last, in their own zone. */
function queryOf({ from, until, ...filter }: Filter) {
  const midnight = (day: string | undefined, later: number) => {
    if (!day || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
    const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
    return new Date(year, month - 1, date + later).toISOString()
  }
  return { ...filter, from: midnight(from, 0), until: midnight(until, 1) }
}

const auditOf = (filter: Filter) => pages(listAudit, { query: queryOf(filter) })

export function loader({ request }: LoaderFunctionArgs) {
  void queries.prefetchInfiniteQuery(auditOf(filterIn(new URL(request.url).searchParams)))
  return null
}

const columns: Column<NamedAuditEntry>[] = [
  timeColumn(texts.columns.at, row => row.at),
  {
    head: texts.columns.action,
    className: 'wrap-anywhere max-sm:w-full',
    value: row => `${actorName(row)} ${phraseOf(row)}`,
    cell: row => (
      <>
        <Link to={paths.audit({ actor: row.actor })} className="link font-medium" title={row.actor}>
          {actorName(row)}
        </Link>{' '}
        {phraseOf(row)}
      </>
    ),
  },
  { head: texts.columns.subject, value: row => row.subject, cell: row => <Subject entry={row} /> },
  {
    head: texts.columns.details,
    className: 'text-soft wrap-anywhere max-sm:w-full',
    value: row =>
      factsOf(row.details)
        .map(([name, value]) => `${name}: ${value}`)
        .join(' · '),
  },
]

/** `admin:bosun` → `bosun`; others by their name where it is known, else by kind and shortened ID. */
export function actorName({ actor, actorName: known }: NamedAuditEntry): string {
  const [kind = '', id] = actor.split(/:(.*)/s)
  if (known) return known
  if (kind === 'admin' && id) return id
  const name = texts.kinds[kind] ?? kind
  return id ? `${name} ${shorten(id)}` : name
}

/** The record an entry is about, linked to its screen, and the other entries about it. */
export function Subject({ entry: { subject, subjectName } }: { entry: NamedAuditEntry }) {
  const [kind = '', id = ''] = subject.split(/:(.*)/s)
  const label = kind === 'administrator' ? id : `${texts.kinds[kind] ?? kind} ${subjectName ?? shorten(id)}`
  const to =
    kind === 'application'
      ? paths.applications({ open: id })
      : kind === 'anchor'
        ? paths.fleet({ open: id })
        : kind === 'job'
          ? paths.jobs({ open: id })
          : kind === 'administrator'
            ? paths.administrators()
            : undefined
  return (
    <span className="wrap-anywhere" title={subject}>
      {to ? (
        <Link to={to} className="link">
          {label}
        </Link>
      ) : (
        label
      )}{' '}
      <Link to={paths.audit({ subject })} className="link text-13" aria-label={texts.historyOf(label)}>
        {texts.history}
      </Link>
    </span>
  )
}

const fields: SearchField[] = [
  { name: 'actor', label: texts.columns.actor },
  { name: 'subject', label: texts.columns.subject },
  { name: 'action', label: texts.columns.action, choices: Object.entries(texts.actions) },
  { name: 'from', label: texts.from, type: 'date' },
  { name: 'until', label: texts.until, type: 'date' },
]

export function Component() {
  const [query] = useSearchParams()
  const filter = filterIn(query)
  const list = useInfiniteQuery(auditOf(filter))
  const rows = rowsOf(list)
  const verify = useMutation({ mutationFn: () => call(verifyAudit) })
  const filtered = Object.keys(filter).length > 0
  const all = (
    <Link to={paths.audit()} className={buttonLook()}>
      {listTexts.showAll}
    </Link>
  )
  return (
    <>
      <PageHeading
        title={texts.title}
        product={shell.product}
        lead={texts.lead}
        actions={
          <Button pending={verify.isPending} onClick={() => verify.mutate()}>
            <Icon name="check" />
            {texts.verify}
          </Button>
        }
      />
      {verify.error && <ErrorNotice failure={{ ...describeError(verify.error), title: texts.failed }} />}
      {verify.data && (
        <Notice
          tone={verify.data.ok ? 'good' : 'bad'}
          role="status"
          title={
            verify.data.ok ? texts.whole(verify.data.entries) : texts.broken(verify.data.brokenAt ?? '?')
          }
        >
          {[verify.data.problem, ...verify.data.unchecked.map(texts.unchecked)].filter(Boolean).join(' ')}
        </Notice>
      )}
      <SearchForm label={texts.search} fields={fields} values={{ ...filter }} to={paths.audit} />
      <DataScreen
        query={list}
        explain={describeError}
        skeleton={<TableSkeleton />}
        isEmpty={() => rows.length === 0}
        empty={<Empty title={filtered ? texts.filtered : texts.empty} action={filtered && all} />}
      >
        {() => (
          <>
            <SavedTable
              {...{ name: 'audit', caption: texts.title, columns, rows }}
              keyOf={row => row.id}
              isWhole={!list.hasNextPage}
              readAll={() => queries.fetchQuery(everyEntry(listAudit, { query: queryOf(filter) }))}
            />
            <LoadMore list={list} />
          </>
        )}
      </DataScreen>
    </>
  )
}
