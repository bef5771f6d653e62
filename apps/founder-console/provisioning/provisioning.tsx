import { stages as stageTexts } from '@windlass/ui/console/stage-texts.ts'
import { keyOf } from '@windlass/ui/console/query.ts'
import { useOnline } from '@windlass/ui/console/connection.tsx'
import {
  type Job,
  type LogLine,
  readJobLog,
  retryJob,
  stageNames,
  getJobStatus,
} from '@windlass/contracts/platform/provisioning.ts'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo, formatDuration } from '@windlass/ui/format-units.ts'

import { Notice, Status } from '@windlass/ui/notice.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { StageList } from '@windlass/ui/console/stage-list.tsx'
import { type LoaderFunctionArgs, useParams } from 'react-router'
import { LogView } from '@windlass/ui/log-view.tsx'
import { call } from '../api.ts'
import { queries, refresh } from '../queries.ts'
import { shell } from '../texts.ts'
import { provisioning as texts } from './texts.ts'
import { jobQuery, useJobStream } from './job-query.ts'
import { Result } from './result.tsx'

const POLL_MS = 2_000

export function loader({ params }: LoaderFunctionArgs) {
  void queries.prefetchQuery(jobQuery(params.jobId ?? ''))
  return null
}

export function Component() {
  const { jobId = '' } = useParams()
  const options = jobQuery(jobId)
  const known = useQuery({ ...options, enabled: false }).data
  const open = known !== undefined && known.job.status !== 'completed'
  const live = useJobStream(jobId, open)
  const online = useOnline()
  const job = useQuery({ ...options, refetchInterval: open && !live ? POLL_MS : false })

  return (
    <div className="mx-auto w-full max-w-[1120px] flex-1 px-4 py-8 sm:px-6 sm:py-12">
      {codeOf(job.error) === 'job-not-found' ? (
        <div className="space-y-6">
          <PageHeading title={texts.unknown.title} product={shell.product} lead={texts.unknown.detail} />
          <Identifier value={jobId} what={texts.jobId.toLowerCase()} />
        </div>
      ) : (
        <DataScreen query={job} explain={describeError} skeleton={<JobSkeleton />}>
          {view => (
            <JobScreen
              job={view.job}
              clockAhead={view.clockAhead}
              connection={!online || job.failureCount > 0 ? 'reconnecting' : live ? 'live' : 'polling'}
            />
          )}
        </DataScreen>
      )}
    </div>
  )
}

interface JobScreenProps {
  job: Job
  clockAhead: number
  connection: 'live' | 'polling' | 'reconnecting'
}

const connectionTones = { live: 'info', polling: 'neutral', reconnecting: 'warn' } as const

function JobScreen({ job, clockAhead, connection }: JobScreenProps) {
  const now = useNow(job.status === 'completed' ? 60_000 : 250) + clockAhead
  const position = stageNames.indexOf(job.stage) + 1
  return (
    <div className="space-y-8">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <PageHeading title={texts.title[job.status]} product={shell.product} lead={texts.lead[job.status]} />
        <p role="status" className="sr-only">
          {texts.title[job.status]}
        </p>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-13 text-soft">
          {job.status === 'completed' ? (
            <Status tone="good">{texts.total(formatDuration(durationOf(job)))}</Status>
          ) : (
            <Status tone={connectionTones[connection]} icon="dot">
              {texts[connection]}
            </Status>
          )}
          <span className="inline-flex items-center gap-1.5">
            {texts.jobId} <Identifier value={job.jobId} what={texts.jobId.toLowerCase()} />
          </span>
        </div>
      </div>
      {job.status === 'failed' && (
        <Stopped
          job={job}
          position={position}
          title={texts.stageFailed(position, stageTexts[job.stage] ?? job.stage)}
          detail={job.error?.detail ?? texts.notRetryable}
          code={job.error?.code}
          retryable={job.error?.retryable ?? true}
        />
      )}
      {job.stalled && (
        <Stopped
          job={job}
          position={position}
          title={texts.stalled(formatAgo(Date.parse(job.updatedAt), now))}
          detail={texts.stalledDetail}
          retryable
        />
      )}
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
        <Panel className="px-4 py-5 sm:px-6">
          <h2 className="sr-only">{texts.stages}</h2>
          <StageList stages={job.stages} now={job.status === 'failed' ? Date.parse(job.updatedAt) : now} />
        </Panel>
        <Result job={job} />
      </div>
      <JobLog job={job} />
    </div>
  )
}

interface StoppedProps {
  job: Job
  position: number
  title: string
  detail: string
  code?: string | undefined
  retryable: boolean
}

/** Why the job stopped, with a retry. */
function Stopped({ job, position, title, detail, code, retryable }: StoppedProps) {
  const retry = useMutation({
    mutationFn: () => call(retryJob, { params: { jobId: job.jobId } }),
    onSettled: () => refresh(getJobStatus),
  })
  return (
    <div className="space-y-3">
      <Notice
        tone={job.status === 'failed' ? 'bad' : 'warn'}
        title={title}
        role="alert"
        actions={
          retryable && (
            <Button look="primary" pending={retry.isPending} onClick={() => retry.mutate()}>
              {texts.retry(position)}
            </Button>
          )
        }
      >
        <p>{detail}</p>
        {!retryable && <p>{texts.notRetryable}</p>}
        {code && (
          <p className="mt-1 text-13">
            {texts.errorCode} <code className="font-mono">{code}</code>
          </p>
        )}
      </Notice>
      {retry.error && (
        <Notice tone="warn" title={texts.retryRefused} role="alert">
          {describeError(retry.error).detail}
        </Notice>
      )}
    </div>
  )
}

function durationOf(job: Job): number {
  const ends = job.stages.map(stage => Date.parse(stage.finishedAt ?? '')).filter(Number.isFinite)
  return Math.max(...ends, Date.parse(job.createdAt)) - Date.parse(job.createdAt)
}

function JobSkeleton() {
  return (
    <div className="space-y-8">
      <div className="space-y-2">
        <Bar className="h-7 w-72 max-w-full" />
        <Bar className="h-5 w-96 max-w-full" />
      </div>
      <div className="max-w-[41rem] space-y-6 rounded-8 border border-line p-6">
        {stageNames.map(name => (
          <div key={name} className="flex items-center gap-4">
            <Bar className="h-7 w-6" />
            <Bar className="h-4 w-64 max-w-full" />
          </div>
        ))}
      </div>
    </div>
  )
}

/**
 * The log of the job. Each request starts at the last known line, so that a lost connection neither loses nor
 * repeats a line.
 */
function JobLog({ job }: { job: Job }) {
  const { jobId } = job
  const linesKey = keyOf(readJobLog, { params: { jobId } }, 'lines')
  const log = useQuery({
    queryKey: keyOf(readJobLog, { params: { jobId } }, job.status === 'completed'),
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<LogLine[]>(linesKey) ?? []
      const after = known.at(-1)?.id
      const fresh = await call(readJobLog, {
        params: { jobId },
        query: after === undefined ? {} : { after },
        signal,
      })
      const lines = [...known, ...fresh.filter(line => line.id > (after ?? -1))]
      queries.setQueryData(linesKey, lines)
      return lines
    },
    refetchInterval: job.status === 'completed' ? false : POLL_MS,
    placeholderData: before => before,
  })
  // The control plane may be unavailable while the platform answers; then the log is omitted.
  return log.data ? <LogView lines={log.data} /> : null
}
