import type { AnchorStatus } from '@windlass/contracts/administrators.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { fleet } from '../texts/fleet.ts'

const tones: Record<AnchorStatus, Tone> = {
  draft: 'neutral',
  provisioning: 'info',
  active: 'good',
  suspended: 'warn',
  removed: 'neutral',
  error: 'bad',
}

export function AnchorBadge({ status }: { status: AnchorStatus }) {
  return <Status tone={tones[status]}>{fleet.status[status]}</Status>
}
