import type { ApplicationStatus } from '@windlass/contracts/applications.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { applications } from '../texts/applications.ts'

const tones: Record<ApplicationStatus, Tone> = { applied: 'info', approved: 'good', rejected: 'neutral' }

export function ApplicationBadge({ status }: { status: ApplicationStatus }) {
  return (
    <Status tone={tones[status]} icon={status === 'rejected' ? 'cross' : undefined}>
      {applications.status[status]}
    </Status>
  )
}
