import type { JobStatus } from '@windlass/contracts/provisioning.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { jobs } from '../texts/jobs.ts'

const tones: Record<JobStatus, Tone> = {
  pending: 'neutral',
  running: 'info',
  failed: 'bad',
  completed: 'good',
}

export function JobBadge({ job }: { job: { status: JobStatus; stalled?: boolean } }) {
  if (job.stalled) return <Status tone="warn">{jobs.stalled}</Status>
  return <Status tone={tones[job.status]}>{jobs.status[job.status]}</Status>
}
