import {
  approveWaitingAct,
  listWaitingActs,
  rejectWaitingAct,
  type WaitingAct,
} from '@windlass/contracts/platform/waiting-acts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { factsOf, phraseOf } from '@windlass/ui/console/audit-entry.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Fact, Facts, Panel } from '@windlass/ui/page.tsx'
import { queries } from '../../queries.ts'
import { operator, profileQuery } from '../../session.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { waitingActs as texts } from './texts.ts'
import { manages } from '../manages.ts'

/** What lets more money out and waits for a second person; nothing where nothing waits. */
export function WaitingActs() {
  const { id: anchorId, role } = useWorkspace()
  const list = operator.query(listWaitingActs, { params: { anchorId } }, { refetchInterval: 30_000 })
  const { data = [] } = useQuery({ ...list, enabled: manages(role, 'any') })
  return data.map(act => <Waiting key={act.id} act={act} />)
}

function Waiting({ act }: { act: WaitingAct }) {
  const { id: anchorId } = useWorkspace()
  const ownId = useQuery(profileQuery).data?.user.id
  const nameOf = useMemberName()
  const decide = useMutation({
    mutationFn: (approve: boolean) =>
      operator.call(approve ? approveWaitingAct : rejectWaitingAct, { params: { anchorId, id: act.id } }),
    onSuccess: () => queries.invalidateQueries(),
  })
  const isOwn = act.requestedBy === `operator:${ownId}`
  return (
    <Panel className="space-y-3 px-4 py-4 sm:px-5">
      <h2 className="font-semibold">{texts.title}</h2>
      <p className="text-14 text-soft">
        {texts.requested(nameOf(act.requestedBy), phraseOf(act), formatDateTime(act.requestedAt))}{' '}
        {isOwn ? texts.own : texts.ends(formatDateTime(act.endsAt))}
      </p>
      <Facts>
        {factsOf(act.details).map(([name, value]) => (
          <Fact key={name} name={name}>
            <span className="wrap-anywhere">{value}</span>
          </Fact>
        ))}
      </Facts>
      {decide.error && <ErrorNotice failure={{ ...describeError(decide.error), title: texts.failed }} />}
      <div className="flex flex-wrap gap-2">
        <Button
          look={isOwn ? 'secondary' : 'primary'}
          pending={decide.isPending}
          onClick={() => decide.mutate(true)}
        >
          {texts.approve}
        </Button>
        <Button look="quietDanger" pending={decide.isPending} onClick={() => decide.mutate(false)}>
          {isOwn ? texts.takeBack : texts.reject}
        </Button>
      </div>
    </Panel>
  )
}
