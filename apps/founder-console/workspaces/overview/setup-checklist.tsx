import { listApiKeys } from '@windlass/contracts/platform/api-keys.ts'
import { operatorSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { getWalletChecks } from '@windlass/contracts/platform/wallet-checks.ts'
import { getWorkspaceTreasury } from '@windlass/contracts/platform/workspace-records.ts'
import { useQueries, useQuery } from '@tanstack/react-query'
import { describeError } from '@windlass/ui/console/errors.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { Icon } from '@windlass/ui/icons.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { membersQuery } from '../team/members.ts'
import {
  isUnderWay,
  testDepositQuery,
  useCanTestDeposit,
  useStartTestDeposit,
} from '../developers/test-deposit-query.ts'
import { setup as texts } from './texts.ts'
import { assetsOf } from '../assets.ts'
import { treasurySettingsQuery } from '../treasury/settings-query.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

type Task = keyof typeof texts.tasks

/** What is left to set up, each with a link to where it is done. Gone once everything is done. */
export function SetupChecklist() {
  const workspace = useWorkspace()
  const { id: anchorId, organization } = workspace
  // What the anchor issues itself is in the treasury from the start.
  const existing = assetsOf(workspace).flatMap(({ isOwn }, index) => (isOwn ? [] : [index]))
  const params = { anchorId }
  const [checks, factors, members, keys, treasury] = useQueries({
    queries: [
      operator.query(getWalletChecks, { params }),
      operator.query(operatorSecondFactors.list),
      membersQuery(organization.id),
      operator.query(listApiKeys, { params }),
      treasurySettingsQuery(anchorId, undefined),
    ],
  })
  const deposit = useQuery(testDepositQuery(anchorId)).data
  const canTest = useCanTestDeposit(anchorId)
  const held = useQuery(operator.query(getWorkspaceTreasury, { params }, { enabled: existing.length > 0 }))
    .data?.assets
  if (
    !checks.data ||
    !factors.data ||
    !members.data ||
    !keys.data ||
    !treasury.data ||
    !deposit ||
    canTest === undefined
  )
    return null
  const done: Record<Task, boolean> = {
    topUp: held !== undefined && existing.every(index => held[index]?.balance !== '0'),
    deposit: deposit.latest?.state === 'completed',
    compatibility: checks.data.latest?.results.every(({ passed }) => passed) ?? false,
    secondFactor: factors.data.passkeys.length > 0 || factors.data.authenticatorApp !== null,
    treasury: treasury.data.history.length > 0,
    team: members.data.length > 1,
    key: keys.data.some(({ revokedAt }) => revokedAt === null),
  }
  const places: Record<Task, string> = {
    topUp: paths.workspace(anchorId, 'treasury'),
    deposit: paths.workspace(anchorId, 'developers'),
    compatibility: paths.workspace(anchorId, 'anchor'),
    secondFactor: paths.account(),
    treasury: paths.workspace(anchorId, 'treasury'),
    team: paths.workspace(anchorId, 'team'),
    key: paths.workspace(anchorId, 'keys'),
  }
  // Without a test network, or without a simulated rail, there is no test deposit.
  const unneeded = [...(canTest ? [] : ['deposit']), ...(existing.length > 0 ? [] : ['topUp'])]
  const tasks = (Object.keys(done) as Task[]).filter(task => !unneeded.includes(task))
  const left = tasks.filter(task => !done[task]).length
  if (left === 0) return null
  return (
    <Panel className="space-y-3 px-4 py-4 sm:px-5">
      <h2 className="flex flex-wrap justify-between gap-x-4 font-semibold">
        {texts.title}
        <span className="text-13 font-normal text-soft tabular">
          {texts.progress(tasks.length - left, tasks.length)}
        </span>
      </h2>
      <ul className="divide-y divide-line">
        {tasks.map(task => (
          <li key={task} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 text-14">
            <Icon
              name={done[task] ? 'check' : 'ring'}
              className={`size-4 ${done[task] ? 'text-good' : 'text-soft'}`}
            />
            <span className="min-w-0 flex-1 basis-56">
              <span className={done[task] ? 'text-soft' : 'font-medium'}>{texts.tasks[task].title}</span>
              {done[task] && <span className="sr-only"> ({texts.done})</span>}
              {!done[task] && <span className="block text-13 text-soft">{texts.tasks[task].detail}</span>}
            </span>
            {!done[task] && task !== 'deposit' && (
              <Link to={places[task]} className="link">
                {texts.tasks[task].action}
              </Link>
            )}
            {task === 'deposit' && <TestDepositAction />}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Runs the deposit with one click, and leads to its requests. */
function TestDepositAction() {
  const { id: anchorId, role } = useWorkspace()
  const latest = useQuery(testDepositQuery(anchorId)).data?.latest
  const start = useStartTestDeposit(anchorId)
  const running = start.isPending || isUnderWay(latest)
  return (
    <>
      {latest && !running && (
        <Link to={paths.workspace(anchorId, 'developers')} className="link">
          {texts.result}
        </Link>
      )}
      {latest?.state !== 'completed' && manages(role, 'support') && (
        <Button pending={running} onClick={() => start.mutate()}>
          {running ? texts.running : texts.tasks.deposit.action}
        </Button>
      )}
      {latest?.failure && !running && (
        <p className="basis-full text-13 text-bad">{texts.depositFailed(latest.failure)}</p>
      )}
      {start.error && <ErrorNotice failure={describeError(start.error)} />}
    </>
  )
}
