import { setTimeout as sleep } from 'node:timers/promises'
import { startTransaction } from '@windlass/contracts/aggregator/handoff.ts'
import { createQuote } from '@windlass/contracts/aggregator/quotes.ts'
import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { routeTransaction } from '@windlass/contracts/aggregator/routing.ts'
import { assetOf } from './apply.ts'
import { expect, type Founder, made, type Step, type Story } from './story.ts'

/** A machine that has just started all this may be too slow for the first look at an anchor; the next one comes by itself. */
const AVAILABLE_WITHIN_MS = 90_000
const LOOKS_AGAIN_MS = 500

export const findInRegistry: Step = {
  title: 'Aggregator lists the anchors',
  run: async ({ aggregator, first, second }) => {
    for (let waited = 0; ; waited += LOOKS_AGAIN_MS) {
      const { anchors } = await aggregator.call(listAnchors)
      for (const founder of [first, second])
        founder.listed = anchors.find(({ slug }) => slug === founder.subdomain)
      const listed = [first, second].map(each => made(each.listed, `registry entry of ${each.subdomain}`))
      const missing = listed.find(each => !each.current_availability)
      if (!missing) break
      expect(waited < AVAILABLE_WITHIN_MS, `${missing.slug} is not available`)
      await sleep(LOOKS_AGAIN_MS)
    }
    return `GET /anchors → current_availability true, treasury_capacity ${first.listed?.treasury_capacity}`
  },
}

export const quote: Step = {
  title: 'A quote',
  run: async story => {
    story.quote = await story.aggregator.call(createQuote, { body: { ...payment(story), currency: 'INR' } })
    const { amount, asset, fee, fxRate, sellAmount, currency } = story.quote
    return `${amount} ${asset} + fee ${fee.total}, at ${fxRate} → ${sellAmount} ${currency}`
  },
}

export const route: Step = {
  title: 'The best anchor is selected',
  run: async (story, show) => {
    story.route = await story.aggregator.call(routeTransaction, { body: payment(story) })
    const { slug, score, candidates, reasoning } = story.route
    expect(
      slug === story.first.subdomain,
      `${slug} was selected, not the cheaper and faster ${story.first.subdomain}`,
    )
    expect(candidates.length === 2, `${candidates.length} candidates instead of two`)
    reasoning.split('\n').forEach(show)
    return `POST /route → ${slug} with ${score} of 100, ahead of ${candidates[1]?.slug}`
  },
}

export const handOff: Step = {
  title: 'Wallet is handed over to the anchor',
  run: async story => {
    story.handoff = await story.aggregator.call(startTransaction, {
      body: { quoteId: made(story.quote, 'quote').id, account: story.wallet.publicKey() },
    })
    const { homeDomain, endpoints, signingKey } = story.handoff
    const { anchor } = founderAt(story, homeDomain)
    expect(signingKey === anchor?.signingKey, 'the signing key is not the anchor’s')
    return `POST /transactions/start → ${endpoints.webAuth}`
  },
}

function payment({ first }: Story) {
  return { amount: '100', asset: assetOf(first), rail: 'UPI', region: 'IN' }
}

function founderAt({ first, second }: Story, homeDomain: string): Founder {
  const found = [first, second].find(({ anchor }) => anchor?.homeDomain === homeDomain)
  return made(found, `anchor at ${homeDomain}`)
}
