import type { EligibilityRule } from '@windlass/contracts/routing.ts'

export const routing = {
  title: 'Route explainer',
  lead: 'Which anchor a transaction would go to now, and why: every score, and who was left out by which rule.',
  fields: {
    amount: { label: 'Amount', hint: 'In units of the asset.' },
    asset: { label: 'Asset', hint: 'CODE or CODE:ISSUER.' },
    rail: { label: 'Rail', hint: 'Such as UPI or SEPA.' },
    region: { label: 'Country', hint: 'Two letters; empty for any.' },
  },
  missing: { amount: 'Enter an amount', asset: 'Enter an asset', rail: 'Enter a rail' },
  route: 'Route it',
  failed: 'That did not work',
  empty: {
    title: 'Nothing routed yet',
    detail: 'Describe a transaction above. The decision gets an address of its own that can be shared.',
  },
  chosen: (slug: string) => `${slug} is the best anchor`,
  asked: (amount: string, asset: string, rail: string, region: string | undefined) =>
    `${amount} ${asset} over ${rail}${region ? ` in ${region}` : ''}`,
  decidedAt: (when: string) => `Decided ${when}`,
  stale: {
    title: 'Decided while the database was away',
    detail: 'From what the aggregator last knew of the anchors.',
  },
  permalink: 'the address of this decision',
  candidates: {
    title: (shown: number, all: number) =>
      shown === all ? `Eligible anchors (${all})` : `Eligible anchors (the best ${shown} of ${all})`,
    columns: {
      rank: 'Rank',
      anchor: 'Anchor',
      fee: 'Costs',
      score: 'Score',
      whatIf: 'With your weights',
    },
    show: (slug: string) => `How ${slug} scored`,
  },
  sum: {
    title: (slug: string) => `How ${slug} got its score`,
    term: (score: string, weight: string, product: string) => `${score} × ${weight} = ${product}`,
    whole: 'Together',
  },
  whatIf: {
    title: 'What if the weights were others?',
    lead: 'Tried on the anchors shown above; nothing is saved.',
    wins: (slug: string) => `${slug} would win.`,
    same: 'The same anchor would win.',
    sumWrong: 'The weights must be numbers from 0 to 1 that sum to 1.',
    policy: 'Change the routing policy',
  },
  reasoning: 'In words',
  refused: {
    title: 'No anchor is eligible',
    lead: 'Each anchor is counted under the first rule that it fails.',
  },
  rejected: {
    title: (count: number) => `Left out (${count})`,
    none: 'Every registered anchor was eligible.',
    examples: 'For example',
    columns: { anchor: 'Anchor', rule: 'Rule', detail: 'Why' },
    rules: {
      asset: 'Does not issue the asset',
      rail: 'Does not offer the rail',
      region: 'Does not serve the country',
      status: 'Not active',
      availability: 'Does not answer',
      domain: 'Domain not proven',
      pair: 'Has no rate for the currency',
      limits: 'Outside its limits',
      capacity: 'Treasury too small',
    } satisfies Record<EligibilityRule, string>,
  },
} as const
