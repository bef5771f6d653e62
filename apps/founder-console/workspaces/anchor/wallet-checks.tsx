import { describeError } from '@windlass/ui/console/errors.ts'
import {
  startWalletChecks,
  getWalletChecks,
  type WalletCheckReport,
  type CheckResult,
} from '@windlass/contracts/platform/wallet-checks.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { ErrorNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo } from '@windlass/ui/format-units.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { Status } from '@windlass/ui/notice.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { operator } from '../../session.ts'
import { walletChecks as texts } from './texts.ts'

/** How long to poll closely for a requested report. */
const CLOSE_POLL_MS = 90_000

/** The last results, what each failure means for wallets, and a button to check now. */
export function WalletChecksPanel({ anchorId }: { anchorId: string }) {
  const now = useNow(15_000)
  const check = useMutation({
    mutationFn: () => operator.call(startWalletChecks, { params: { anchorId } }),
  })
  const requestedAt = check.isSuccess ? check.submittedAt : 0
  const found = useQuery(
    operator.query(
      getWalletChecks,
      { params: { anchorId } },
      {
        refetchInterval: ({ state }) => (isReportPending(requestedAt, state.data?.latest) ? 2_000 : 60_000),
      },
    ),
  )
  if (!found.data) return null
  const { latest } = found.data
  const failed = latest?.results.filter(({ passed }) => !passed) ?? []
  const pending = check.isPending || isReportPending(requestedAt, latest)
  return (
    <Panel className="space-y-3 px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold">{texts.title}</h2>
          <p className="text-14 text-soft">{texts.lead}</p>
        </div>
        <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {latest && <Outcome report={latest} />}
          <span className="text-13 text-soft">
            {latest ? texts.checked(formatAgo(Date.parse(latest.checkedAt), now)) : texts.none}
          </span>
        </div>
        <Button pending={pending} onClick={() => check.mutate()}>
          {pending ? texts.checking : texts.check}
        </Button>
      </div>
      {check.error && <ErrorNotice failure={{ ...describeError(check.error), title: texts.failed }} />}
      {failed.length > 0 && (
        <ul aria-label={texts.failedChecks} className="divide-y divide-line border-t border-line">
          {failed.map(result => (
            <FailedCheck key={result.name} result={result} />
          ))}
        </ul>
      )}
      {latest && <AllChecks results={latest.results} />}
    </Panel>
  )
}

/** Whether a report was requested recently and has not arrived. */
function isReportPending(requestedAt: number, latest: WalletCheckReport | null | undefined): boolean {
  if (requestedAt === 0 || Date.now() - requestedAt > CLOSE_POLL_MS) return false
  return !latest || Date.parse(latest.checkedAt) < requestedAt
}

function Outcome({ report: { results } }: { report: WalletCheckReport }) {
  const passed = results.filter(result => result.passed).length
  const text = texts.passed(passed, results.length)
  return <Status tone={passed === results.length ? 'good' : 'bad'}>{text}</Status>
}

function FailedCheck({ result }: { result: CheckResult }) {
  return (
    <li className="space-y-0.5 py-3 text-14">
      <p className="flex flex-wrap gap-x-2 font-medium">
        <span className="text-bad">{texts.sep(String(result.sep))}</span>
        <span className="min-w-0 flex-1 basis-64">{result.requirement}</span>
      </p>
      <p>{result.impact}</p>
      <p className="wrap-anywhere text-soft">
        {texts.found}: {result.detail}
      </p>
    </li>
  )
}

function AllChecks({ results }: { results: readonly CheckResult[] }) {
  return (
    <details className="text-14">
      <summary className="control inline-flex cursor-pointer items-center gap-1.5 text-soft">
        <Icon name="chevron" className="size-3.5" />
        {texts.all}
      </summary>
      <ul className="mt-2 space-y-1.5">
        {results.map(({ name, sep, requirement, passed }) => (
          <li key={name} className="flex gap-2">
            <span className={passed ? 'text-good' : 'text-bad'}>
              <Icon name={passed ? 'check' : 'alert'} className="mt-1 size-3.5" />
              <span className="sr-only">{passed ? texts.state.passed : texts.state.failed}: </span>
            </span>
            <span className="min-w-0 flex-1">
              <span className="text-soft">{texts.sep(String(sep))}</span> {requirement}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
