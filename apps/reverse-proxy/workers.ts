import { loop, type Loop } from '@windlass/service/loop.ts'
import type { Deps } from './deps.ts'

const CHECK_CERTIFICATES_EVERY_MS = 3_600_000

export function startWorkers({ certificates, logger }: Deps): Loop[] {
  if (!certificates) return []
  const everyMs = CHECK_CERTIFICATES_EVERY_MS
  return [loop({ name: 'certificates', act: certificates.check, everyMs, logger, stopWithinMs: 0 })]
}
