import * as contracts from '@windlass/contracts/aggregator/quotes.ts'
import type { On } from '@windlass/service/http/server.ts'
import { compareQuotes } from './compare.ts'
import type { QuotesDeps } from './deps.ts'
import { findQuote } from './find.ts'
import { issueQuote } from './issue.ts'
import { render } from './render.ts'

export function serveQuotes(on: On, deps: QuotesDeps): void {
  for (const contract of [contracts.createQuote, contracts.createQuoteAlias]) {
    on(contract).serve(({ body, request }) => issueQuote(deps, body, request.clientAddress))
  }
  on(contracts.compareQuotes).serve(({ body }) => compareQuotes(deps, body))
  on(contracts.getQuote).serve(async ({ params }) =>
    render(await findQuote(deps.database.db, params.id), deps.clock.now()),
  )
}
