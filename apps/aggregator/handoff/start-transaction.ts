import type { Handoff } from '@windlass/contracts/aggregator/handoff.ts'
import type { Quote } from '@windlass/contracts/aggregator/quotes.ts'
import { formatAmount, type Amount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { findQuote } from '../quotes/find.ts'
import { hasExpired, render } from '../quotes/render.ts'
import { termsFor, type Entry } from '../registry/entry.ts'
import { findEntry, findNamedEntry } from '../registry/find.ts'
import { plainEndpoints } from '../discovery/discovery-file.ts'
import type { HandoffDeps } from './deps.ts'
import { contradiction } from './keys.ts'

interface StartRequest {
  quoteId?: string
  decisionId?: string
  anchorId?: string
  account?: string
}

type StartDeps = Pick<HandoffDeps, 'database' | 'index' | 'clock' | 'journal' | 'discoveries' | 'urlOf'>

/**
 * The public SEP endpoints of the anchor that a quote, a decision or the caller names, read from its discovery file.
 * Nothing is stored: from now on the wallet talks to the anchor itself.
 */
export async function startTransaction(deps: StartDeps, request: StartRequest): Promise<Handoff> {
  const { entry, quote } = await selected(deps, request)
  if (entry.status !== 'active') {
    throw new Problem('anchor-wrong-state', `${entry.slug} is ${entry.status} and takes no transactions.`)
  }
  const discovery = await deps.discoveries.read(entry.domain)
  const discoveryUrl = deps.urlOf(entry.domain)
  const [plain] = plainEndpoints(discoveryUrl, discovery)
  const wrong = plain ? `${plain} is not https` : contradiction(discovery, entry)
  if (wrong)
    throw new Problem('discovery-mismatch', `The discovery file of ${entry.domain} is not trusted: ${wrong}.`)
  const { endpoints, networkPassphrase, webAuthContract } = discovery
  const { account } = request
  const webAuth = account?.startsWith('C') ? endpoints.webAuthForContracts : endpoints.webAuth
  return {
    anchorId: entry.id,
    homeDomain: entry.domain,
    signingKey: discovery.signingKey,
    ...(networkPassphrase ? { networkPassphrase } : {}),
    webAuthContract,
    endpoints,
    discoveryUrl,
    ...(account && webAuth ? { challengeUrl: challengeUrl(webAuth, account, entry.domain) } : {}),
    ...(quote ? { quote } : {}),
  }
}

interface Selected {
  entry: Entry
  quote?: Quote
}

async function selected(deps: StartDeps, { quoteId, decisionId, anchorId }: StartRequest): Promise<Selected> {
  const { database, index, clock, journal } = deps
  if (quoteId !== undefined) {
    const row = await findQuote(database.db, quoteId)
    if (hasExpired(row, clock.now())) {
      throw new Problem('quote-expired', 'The quote has expired. Request a new one.')
    }
    return agreeing(findEntry(index, row.anchor_id), anchorId, render(row, clock.now()))
  }
  if (decisionId !== undefined) {
    const { winner, asset, amount } = await journal.winnerOf(decisionId)
    const selection = agreeing(findEntry(index, winner), anchorId)
    demandWithinLimits(selection.entry, asset, amount)
    return selection
  }
  if (anchorId !== undefined) return { entry: findNamedEntry(index, anchorId) }
  throw new Problem('validation-failed', 'One of quoteId, decisionId or anchorId is required.', {
    errors: [{ path: 'anchorId', message: 'is required, or quoteId, or decisionId' }],
  })
}

/** Checks the current limits. Throws `amount-outside-limits`. */
function demandWithinLimits(entry: Entry, asset: string, amount: Amount): void {
  const { min, max } = termsFor(entry, asset).limits
  if (amount >= min && amount <= max) return
  throw new Problem(
    'amount-outside-limits',
    `${entry.slug} takes ${formatAmount(min)} to ${formatAmount(max)} in one transaction, not ${formatAmount(amount)}. ` +
      'Ask for a route with an amount within these limits.',
  )
}

// A caller who also names an anchor must name the same one.
function agreeing(entry: Entry, anchorId: string | undefined, quote?: Quote): Selected {
  if (
    anchorId === undefined ||
    anchorId === entry.id ||
    anchorId === entry.slug ||
    anchorId === entry.domain
  ) {
    return { entry, quote }
  }
  throw new Problem('validation-failed', 'anchorId is not the anchor of this quote or decision.', {
    errors: [{ path: 'anchorId', message: 'must be the anchor of the quote or decision' }],
  })
}

function challengeUrl(webAuth: string, account: string, homeDomain: string): string {
  const url = new URL(webAuth)
  url.searchParams.set('account', account)
  url.searchParams.set('home_domain', homeDomain)
  return url.href
}
