import { troubleOf } from '@windlass/client/trouble.ts'
import {
  checkConformance,
  getConformance,
  type ConformanceReport,
  type Finding,
} from '@windlass/contracts/conformance.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { TroubleNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo } from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { Status } from '@windlass/ui/notice.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { operator } from '../operator.ts'
import { conformance as texts } from '../texts/conformance.ts'

/** How long a report that was asked for may take before we stop looking for it closely. */
const SOON_MS = 90_000

/** What the last check found, what each unmet demand means, and a way to have it looked at now. */
export function ConformancePanel({ anchorId }: { anchorId: string }) {
  const now = useNow(15_000)
  const check = useMutation({
    mutationFn: () => operator.call(checkConformance, { params: { anchorId } }),
  })
  const asked = check.isSuccess ? check.submittedAt : 0
  const found = useQuery({
    queryKey: ['operator', 'conformance', anchorId],
    queryFn: ({ signal }) => operator.call(getConformance, { params: { anchorId }, signal }),
    refetchInterval: ({ state }) => (isAwaited(asked, state.data?.latest) ? 2_000 : 60_000),
  })
  if (!found.data) return null
  const { latest } = found.data
  const unmet = latest?.findings.filter(({ passed }) => !passed) ?? []
  const pending = check.isPending || isAwaited(asked, latest)
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
      {check.error && <TroubleNotice trouble={{ ...troubleOf(check.error), title: texts.failed }} />}
      {unmet.length > 0 && (
        <ul aria-label={texts.unmet} className="divide-y divide-line border-t border-line">
          {unmet.map(finding => (
            <Unmet key={finding.check} finding={finding} />
          ))}
        </ul>
      )}
      {latest && <AllDemands findings={latest.findings} />}
    </Panel>
  )
}

/** Whether a report is on its way: asked for lately, and none came since. */
function isAwaited(asked: number, latest: ConformanceReport | null | undefined): boolean {
  if (asked === 0 || Date.now() - asked > SOON_MS) return false
  return !latest || Date.parse(latest.checkedAt) < asked
}

function Outcome({ report: { findings } }: { report: ConformanceReport }) {
  const passed = findings.filter(finding => finding.passed).length
  const text = texts.met(passed, findings.length)
  return <Status tone={passed === findings.length ? 'good' : 'bad'}>{text}</Status>
}

function Unmet({ finding }: { finding: Finding }) {
  return (
    <li className="space-y-0.5 py-3 text-14">
      <p className="flex flex-wrap gap-x-2 font-medium">
        <span className="text-bad">{texts.seps(String(finding.sep))}</span>
        <span className="min-w-0 flex-1 basis-64">{finding.demand}</span>
      </p>
      <p>{finding.meaning}</p>
      <p className="wrap-anywhere text-soft">
        {texts.found}: {finding.detail}
      </p>
    </li>
  )
}

function AllDemands({ findings }: { findings: readonly Finding[] }) {
  return (
    <details className="text-14">
      <summary className="control inline-flex cursor-pointer items-center gap-1.5 text-soft">
        <Icon name="chevron" className="size-3.5" />
        {texts.all}
      </summary>
      <ul className="mt-2 space-y-1.5">
        {findings.map(({ check, sep, demand, passed }) => (
          <li key={check} className="flex gap-2">
            <span className={passed ? 'text-good' : 'text-bad'}>
              <Icon name={passed ? 'check' : 'alert'} className="mt-1 size-3.5" />
              <span className="sr-only">{passed ? texts.state.met : texts.state.unmet}: </span>
            </span>
            <span className="min-w-0 flex-1">
              <span className="text-soft">{texts.seps(String(sep))}</span> {demand}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
