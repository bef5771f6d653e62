import {
  createSep38Quote,
  getPrice,
  getPrices,
  getSep38Info,
  getSep38Quote,
} from '@windlass/contracts/wallet/sep38.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { demandOf } from '../requests/limits.ts'
import { createQuote, getQuote } from './quotes.ts'
import { sep38Info } from './info.ts'
import { indicativePrice, indicativePrices } from './prices.ts'

export function serveSep38(on: On, deps: Deps): void {
  on(getSep38Info).serve(async () => sep38Info(deps.config.anchor, await deps.terms.current()))
  on(getPrices).serve(({ query }) => indicativePrices(deps, query))
  on(getPrice).serve(({ query }) => indicativePrice(deps, query))
  on(createSep38Quote).serve(async ({ principal, body, request }) => {
    await demandOf(deps.newQuotes, principal, request.clientAddress)
    return createQuote(deps, principal, body)
  })
  on(getSep38Quote).serve(({ principal, params }) => getQuote(deps, principal, params.id))
}
