import { loop, type Loop } from '@windlass/service/loop.ts'
import type { Deps } from './deps.ts'

const CHECK_TARGETS_EVERY_MS = 5_000
const CHECK_CERTIFICATES_EVERY_MS = 3_600_000

export function startWorkers({ health, certificates, logger }: Deps): Loop[] {
  return [
    loop({
      name: 'target-health',
      act: health.check,
      everyMs: CHECK_TARGETS_EVERY_MS,
      logger,
      stopWithinMs: 0,
    }),
    ...(certificates
      ? [
          loop({
            name: 'certificates',
            act: certificates.check,
            everyMs: CHECK_CERTIFICATES_EVERY_MS,
            logger,
            stopWithinMs: 0,
          }),
        ]
      : []),
  ]
}
