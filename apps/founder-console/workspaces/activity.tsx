import { troubleOf } from '@windlass/client/trouble.ts'
import { getWorkspaceAudit } from '@windlass/contracts/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar, DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Code, Table } from '@windlass/ui/table.tsx'
import { operator } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'
import { membersQuery } from './members.ts'
import { Events } from './events.tsx'
import { useWorkspace } from './workspace.tsx'

const texts = workspace.activity

/** The latest hundred acts. */
export function Component() {
  const { id: anchorId, organization } = useWorkspace()
  const members = useQuery(membersQuery(organization.id)).data
  /** `operator:usr_…`, `admin:…`, `system` as people know them. */
  const nameOf = (actor: string): string => {
    const [realm = '', id = ''] = actor.split(/:(.*)/s)
    if (realm === 'operator')
      return members?.find(({ userId }) => userId === id)?.fullName ?? texts.actors.member
    if (realm === 'admin') return texts.actors.admin(id)
    return actor === 'system' || actor === 'public' ? texts.actors[actor] : actor
  }
  const audit = useQuery({
    queryKey: ['operator', 'audit', anchorId],
    queryFn: ({ signal }) => operator.call(getWorkspaceAudit, { params: { anchorId }, query: {}, signal }),
  })
  return (
    <div className="space-y-8">
      <Events anchorId={anchorId} />
      <section className="space-y-4">
        <div>
          <h2 className="text-18 font-semibold">{texts.title}</h2>
          <p className="text-14 text-soft">{texts.lead}</p>
        </div>
        <DataScreen
          query={audit}
          explain={troubleOf}
          skeleton={<Bar className="h-40" />}
          isEmpty={rows => rows.length === 0}
          empty={<Empty title={texts.empty} />}
        >
          {rows => (
            <Table
              caption={texts.title}
              rows={rows}
              keyOf={row => row.id}
              columns={[
                {
                  head: texts.columns.at,
                  className: 'whitespace-nowrap text-soft',
                  cell: row => <time dateTime={row.at}>{formatDateTime(row.at)}</time>,
                },
                { head: texts.columns.actor, className: 'wrap-anywhere', cell: row => nameOf(row.actor) },
                {
                  head: texts.columns.action,
                  className: 'font-medium',
                  cell: row => texts.actions[row.action] ?? row.action,
                },
                {
                  head: texts.columns.details,
                  className: 'text-soft wrap-anywhere max-sm:w-full',
                  cell: row =>
                    Object.keys(row.details).length > 0 && <Code>{JSON.stringify(row.details)}</Code>,
                },
              ]}
            />
          )}
        </DataScreen>
      </section>
    </div>
  )
}
