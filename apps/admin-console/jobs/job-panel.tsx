import { stages as stageTexts } from '@windlass/ui/console/stage-texts.ts'
import { listJobs } from '@windlass/contracts/platform/admin-home.ts'
import {
  getJobStatus,
  type Job,
  type JobStatus,
  readJobLog,
  retryJob,
  stageNames,
} from '@windlass/contracts/platform/provisioning.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, ErrorNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { LogView } from '@windlass/ui/log-view.tsx'
import { Notice, Status, type Tone } from '@windlass/ui/notice.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { StageList } from '@windlass/ui/console/stage-list.tsx'
import { RawJson } from '@windlass/ui/raw-json.tsx'
import { call, query, refresh } from '../api.ts'
import { useMay } from '../may.ts'
import { jobs as texts } from './texts.ts'

const POLL_MS = 2_000

interface JobPanelProps {
  jobId: string | undefined
  known: (Job & { subdomain: string }) | undefined
  onClose(): void
}

export function JobPanel({ jobId, known, onClose }: JobPanelProps) {
  const job = useQuery(
    query(
      getJobStatus,
      { params: { jobId: jobId ?? '' } },
      {
        enabled: jobId !== undefined,
        placeholderData: known,
        refetchInterval: query => (query.state.data?.status === 'completed' ? false : POLL_MS),
      },
    ),
  )
  return (
    <SidePanel
      open={jobId !== undefined}
      onClose={onClose}
      title={known?.subdomain ?? job.data?.result.homeDomain ?? texts.title}
      footer={job.data && <Retry key={jobId} job={job.data} />}
    >
      <DataScreen
        query={job}
        explain={describeError}
        skeleton={stageNames.map(name => (
          <Bar key={name} className="my-4 h-6" />
        ))}
      >
        {data => <JobView job={data} />}
      </DataScreen>
    </SidePanel>
  )
}

function JobView({ job }: { job: Job }) {
  const now = useNow(1_000)
  const log = useQuery(
    query(
      readJobLog,
      { params: { jobId: job.jobId } },
      { refetchInterval: job.status === 'completed' ? false : POLL_MS },
    ),
  )
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <JobBadge job={job} />
        <Identifier value={job.jobId} what={texts.jobId.toLowerCase()} />
      </div>
      <StageList stages={job.stages} now={job.status === 'failed' ? Date.parse(job.updatedAt) : now} />
      {log.data && <LogView lines={log.data} />}
      <RawJson value={job} />
    </div>
  )
}

/** Why a job stopped, with a retry. */
function Retry({ job }: { job: Job }) {
  const position = stageNames.indexOf(job.stage) + 1
  const retry = useMutation({
    mutationFn: () => call(retryJob, { params: { jobId: job.jobId } }),
    onSettled: () => refresh(getJobStatus, listJobs),
  })
  const mayRetry = useMay('operator')
  const stopped = job.status === 'failed' || job.stalled
  if (!stopped && !retry.error) return null
  const failed = job.status === 'failed'
  return (
    <div className="space-y-3">
      {retry.error && <ErrorNotice failure={{ ...describeError(retry.error), title: texts.failed }} />}
      {stopped && (
        <Notice
          tone={failed ? 'bad' : 'warn'}
          title={
            failed ? texts.stageFailed(position, stageTexts[job.stage] ?? job.stage) : texts.stalledTitle
          }
          actions={
            mayRetry && (
              <Button look="primary" pending={retry.isPending} onClick={() => retry.mutate()}>
                {texts.retry(position)}
              </Button>
            )
          }
        >
          <p>{failed ? job.error?.detail : texts.stalledDetail}</p>
          {job.error && (
            <p className="mt-1 text-13">
              {texts.code} <code className="font-mono">{job.error.code}</code>
            </p>
          )}
        </Notice>
      )}
    </div>
  )
}

const tones: Record<JobStatus, Tone> = {
  pending: 'neutral',
  running: 'info',
  failed: 'bad',
  completed: 'good',
}

export function JobBadge({ job }: { job: { status: JobStatus; stalled?: boolean } }) {
  if (job.stalled) return <Status tone="warn">{texts.stalled}</Status>
  return <Status tone={tones[job.status]}>{texts.status[job.status]}</Status>
}
