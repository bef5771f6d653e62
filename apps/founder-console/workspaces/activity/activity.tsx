import { factsOf, phraseOf } from '@windlass/ui/console/audit-entry.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import type { AuditEntry } from '@windlass/contracts/platform/administrators.ts'
import { getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { SavedTable } from '@windlass/ui/console/saved-table.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { type AnchorEvent, listAnchorEvents } from '@windlass/contracts/platform/anchor-life.ts'
import { operator } from '../../session.ts'
import { activity as texts, events as eventsTexts } from './texts.ts'
import { membersQuery } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'

/** The latest hundred entries of the anchor's audit log. */
export function Component() {
  const { id: anchorId, organization, subdomain } = useWorkspace()
  const members = useQuery(membersQuery(organization.id)).data
  /** The name of `operator:usr_…`, `key:key_…`, `admin:…` or `system`. */
  const nameOf = ({ actor, details }: AuditEntry): string => {
    const [realm = '', id = ''] = actor.split(/:(.*)/s)
    if (realm === 'operator')
      return members?.find(({ userId }) => userId === id)?.fullName ?? texts.actors.member
    if (realm === 'key') return texts.actors.key(String(details.apiKey ?? id))
    if (realm === 'admin') return texts.actors.admin(id)
    return actor === 'system' || actor === 'public' ? texts.actors[actor] : actor
  }
  const audit = useQuery(operator.query(getWorkspaceAudit, { params: { anchorId } }))
  return (
    <div className="space-y-8">
      <Events anchorId={anchorId} />
      <section className="space-y-4">
        <SectionHeading title={texts.title} lead={texts.lead} />
        <DataScreen
          query={audit}
          explain={describeError}
          skeleton={<Bar className="h-40" />}
          isEmpty={rows => rows.length === 0}
          empty={<Empty title={texts.empty} />}
        >
          {rows => (
            <SavedTable
              name={`${subdomain}-activity`}
              caption={texts.title}
              rows={rows}
              keyOf={row => row.id}
              columns={[
                timeColumn<AuditEntry>(texts.columns.at, row => row.at),
                {
                  head: texts.columns.action,
                  className: 'max-sm:w-full wrap-anywhere',
                  value: row => `${nameOf(row)} ${phraseOf(row)}`,
                  cell: row => (
                    <>
                      <strong className="font-medium">{nameOf(row)}</strong> {phraseOf(row)}
                    </>
                  ),
                },
                {
                  head: texts.columns.details,
                  className: 'text-soft wrap-anywhere max-sm:w-full',
                  value: row =>
                    factsOf(row.details)
                      .map(([name, value]) => `${name}: ${value}`)
                      .join(' · '),
                },
              ]}
            />
          )}
        </DataScreen>
      </section>
    </div>
  )
}

/** Changes the platform made to the anchor; nothing while there are none. */
function Events({ anchorId }: { anchorId: string }) {
  const events = useQuery(operator.query(listAnchorEvents, { params: { anchorId } }))
  if (events.error) return <ErrorNotice failure={describeError(events.error)} />
  if (!events.data || events.data.length === 0) return null
  return (
    <section className="space-y-4">
      <SectionHeading title={eventsTexts.title} lead={eventsTexts.lead} />
      <Table
        caption={eventsTexts.title}
        rows={events.data}
        keyOf={row => row.id}
        columns={[
          timeColumn<AnchorEvent>(eventsTexts.columns.at, row => row.at),
          {
            head: eventsTexts.columns.kind,
            className: 'font-medium',
            cell: row => eventsTexts.kinds[row.kind],
          },
          {
            head: eventsTexts.columns.detail,
            className: 'text-soft wrap-anywhere',
            value: row => row.detail,
          },
        ]}
      />
    </section>
  )
}
