import { loop, type Loop } from '@windlass/service/work/loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Vault } from '../backends/vault.ts'

const HOUR_MS = 3_600_000
const TWO_DAYS_S = 2 * 24 * 3_600

/** Renews the token for Vault three times in its life, and warns where it ends all the same and nobody replaced it. */
export function keepVaultToken(
  vault: Pick<Vault, 'renewToken'>,
  logger: Pick<FastifyBaseLogger, 'warn' | 'debug'>,
): Loop {
  let nextMs = HOUR_MS
  return loop({
    name: 'vault token',
    logger,
    everyMs: () => nextMs,
    stopWithinMs: 1_000,
    act: async () => {
      const life = await vault.renewToken()
      nextMs = life ? Math.min(HOUR_MS, Math.max(1_000, (life.seconds * 1_000) / 3)) : HOUR_MS
      if (life === null || life.seconds > Math.min(TWO_DAYS_S, life.atFirst / 10)) return
      logger.warn(
        { seconds: life.seconds },
        'the token for Vault ends soon, and Vault does not renew it any more',
      )
    },
  })
}
