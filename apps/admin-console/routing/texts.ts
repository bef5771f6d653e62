import { scores, type EligibilityRule } from '@windlass/contracts/aggregator/routing.ts'
import { catalogue } from '@windlass/ui/catalogue.ts'

export const policy = catalogue('policy', {
  title: 'Routing policy',
  lead: 'How much each score counts when the best anchor is chosen. The weights sum to 1.',
  sum: (sum: string) => `Sum ${sum}`,
  sumWrong: 'The weights must sum to exactly 1',
  weightWrong: (name: string) => `${name}: enter a number from 0 to 1 with at most 6 decimals`,
  name: { label: 'Version name', hint: 'Explains the change in the history.' },
  replay: 'Replay past decisions',
  save: 'Save and activate',
  failed: 'The routing policy was not changed',
  replayed: {
    title: 'Effect on past decisions',
    none: 'There are no past decisions to compare.',
    changed: (changed: number, all: number) =>
      changed === 0
        ? `None of ${all} decisions would change.`
        : `${changed} of ${all} decisions would choose another anchor.`,
    columns: { anchor: 'Anchor', before: 'Won', after: 'Would win', change: 'Change' },
  },
  history: {
    title: 'History',
    columns: {
      version: 'Version',
      name: 'Name',
      weights: scores.map(({ label }) => label).join(' / '),
      created: 'Created',
      state: 'Status',
    },
    active: 'Active',
    activate: (version: number) => `Activate version ${version}`,
  },
})

export const routing = catalogue('routing', {
  title: 'Route explainer',
  lead: 'Which anchor a transaction would go to now, and why: every score, and the rule that excluded each other anchor.',
  fields: {
    amount: { label: 'Amount', hint: 'In units of the asset.' },
    asset: { label: 'Asset', hint: 'CODE or CODE:ISSUER.' },
    rail: { label: 'Rail', hint: 'Such as UPI or SEPA.' },
    region: { label: 'Country', hint: 'Two letters. Any country if empty.' },
  },
  missing: { amount: 'Enter an amount', asset: 'Enter an asset', rail: 'Enter a rail' },
  route: 'Find route',
  failed: 'The route was not computed',
  empty: {
    title: 'No route yet',
    detail: 'Describe a transaction above. The decision gets its own address, which you can share.',
  },
  chosen: (slug: string) => `Best anchor: ${slug}`,
  request: (amount: string, asset: string, rail: string, region: string | undefined) =>
    `${amount} ${asset} over ${rail}${region ? ` in ${region}` : ''}`,
  decidedAt: (when: string) => `Decided ${when}`,
  stale: {
    title: 'Decided while the database was unavailable',
    detail: 'The aggregator used the last anchor data it had.',
  },
  permalink: 'the address of this decision',
  candidates: {
    title: (listed: number, all: number) =>
      listed === all ? `Eligible anchors (${all})` : `Eligible anchors (best ${listed} of ${all})`,
    columns: {
      rank: 'Rank',
      anchor: 'Anchor',
      fee: 'Fee',
      score: 'Score',
      whatIf: 'With your weights',
    },
    show: (slug: string) => `Show the score of ${slug}`,
  },
  sum: {
    title: (slug: string) => `Score of ${slug}`,
    term: (score: string, weight: string, product: string) => `${score} × ${weight} = ${product}`,
    whole: 'Total',
  },
  whatIf: {
    title: 'Try other weights',
    lead: 'Applied to the anchors above. Nothing is saved.',
    wins: (slug: string) => `${slug} would win.`,
    same: 'The same anchor would win.',
    sumWrong: 'The weights must be numbers from 0 to 1 that sum to 1.',
    policy: 'Change the routing policy',
  },
  reasoning: 'Explanation',
  refused: {
    title: 'No anchor is eligible',
    lead: 'Each anchor is counted under the first rule it fails.',
  },
  rejected: {
    title: (count: number) => `Excluded (${count})`,
    none: 'Every registered anchor was eligible.',
    examples: 'Examples',
    columns: { anchor: 'Anchor', rule: 'Rule', detail: 'Reason' },
    rules: {
      asset: 'Does not issue the asset',
      rail: 'Does not offer the rail',
      region: 'Does not serve the country',
      status: 'Not active',
      availability: 'Not available',
      domain: 'Domain not verified',
      external: 'Anchor of another platform',
      pair: 'No rate for the currency',
      limits: 'Outside its limits',
      capacity: 'Not enough liquidity',
    } satisfies Record<EligibilityRule, string>,
  },
})
