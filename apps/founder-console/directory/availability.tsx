import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { directory as texts } from './texts.ts'

export function Availability({ entry }: { entry: Pick<RegistryEntry, 'status' | 'current_availability'> }) {
  return entry.status === 'active' && entry.current_availability ? (
    <Status tone="good">{texts.available}</Status>
  ) : (
    <Status tone="bad">{texts.unavailable}</Status>
  )
}
