import { startTransaction } from '@windlass/contracts/aggregator/handoff.ts'
import { createQuote } from '@windlass/contracts/aggregator/quotes.ts'
import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { routeTransaction } from '@windlass/contracts/aggregator/routing.ts'
import { assetOf } from './apply.ts'
import { expect, type Founder, made, type Step, type Story } from './story.ts'

export const findInRegistry: Step = {
  title: 'Aggregator lists the anchors',
  run: async ({ aggregator, first, second }) => {
    const { anchors } = await aggregator.call(listAnchors)
    for (const founder of [first, second]) {
      founder.listed = anchors.find(({ slug }) => slug === founder.subdomain)
      const listed = made(founder.listed, `registry entry of ${founder.subdomain}`)
      expect(listed.current_availability, `${listed.slug} is not available`)
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
