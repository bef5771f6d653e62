import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { workspace } from '../texts/workspace.ts'

const tones: Record<string, Tone> = { provisioning: 'info', active: 'good', suspended: 'warn', error: 'bad' }

export function AnchorBadge({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'neutral'}>{workspace.status[status] ?? status}</Status>
}
