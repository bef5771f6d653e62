import type { AnchorStatus, FleetAnchor } from '@windlass/contracts/platform/administrators.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { fleet as texts } from './texts.ts'

const tones: Record<AnchorStatus, Tone> = {
  draft: 'neutral',
  provisioning: 'info',
  active: 'good',
  suspended: 'warn',
  removed: 'neutral',
  error: 'bad',
}

/** The anchor status; of an active one whose servers sleep, that they do. */
export function AnchorBadge({ anchor: { status, asleepSince } }: { anchor: FleetAnchor }) {
  if (asleepSince) {
    return (
      <Status tone="neutral" icon="clock">
        {texts.asleep}
      </Status>
    )
  }
  return <Status tone={tones[status]}>{texts.status[status]}</Status>
}
