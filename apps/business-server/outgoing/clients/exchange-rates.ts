import { getExchangeRates } from '@windlass/contracts/internal/internal.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { createLiveRates, type LiveRates } from '@windlass/service/outbound/exchange-rates.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import { createPlatform } from './platform.ts'

const TIMEOUT_MS = 3_000

/** The platform's exchange rates; null: they are fixed. */
export function liveRatesOf(
  { anchor, secrets }: Config,
  clock: Clock,
  logger: FastifyBaseLogger,
): LiveRates | null {
  const { fxRatesWithin: maxAgeSeconds, platformUrl } = anchor
  if (maxAgeSeconds === undefined) return null
  const internal = createPlatform(platformUrl, secrets.service)
  const read = async () => {
    const { at, rates } = await internal.call(getExchangeRates, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { at: new Date(at), rates }
  }
  return createLiveRates({ source: { read }, maxAgeSeconds, clock, logger })
}
