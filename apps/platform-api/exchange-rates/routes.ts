import { getExchangeRates } from '@windlass/contracts/internal/internal.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'

/** For anchors' servers, so that the sources are asked once for all of them. */
export function exchangeRateRoutes(on: On, { exchangeRates }: Deps): void {
  on(getExchangeRates).serve(async () => {
    await exchangeRates?.refresh()
    const known = exchangeRates?.current()
    if (!known) throw unavailable('The source of exchange rates')
    return { at: known.at.toISOString(), rates: { ...known.rates } }
  })
}
