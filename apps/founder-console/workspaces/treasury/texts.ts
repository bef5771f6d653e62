import { catalogue } from '@windlass/ui/catalogue.ts'

export const treasury = catalogue('treasury', {
  title: 'Treasury',
  lead: 'What your anchor can pay customers from.',
  available: 'Available liquidity',
  balance: 'Distribution account',
  cold: 'Cold account (from the journal)',
  outflow: {
    label: 'Daily outflow',
    unknown: 'Known after the first day',
    inflow: (amount: string) => `None (net inflow ${amount})`,
  },
  lasts: {
    label: 'Lasts for',
    unlimited: 'Not decreasing',
    days: (days: number) =>
      days < 1 ? 'Less than a day' : days < 2 ? 'About 1 day' : `About ${Math.floor(days)} days`,
  },
  xlm: 'XLM for fees and reserves',
  frozen: (code: string) =>
    `The issuer has not authorized the distribution account to hold ${code}, or has frozen it. Payments wait. Ask the issuer to authorize it.`,
  topUp: {
    title: 'Top up',
    xlm: 'XLM: send it from any account to the distribution account with the memo below.',
    units: (code: string) =>
      `${code}: send it from the cold account to the distribution account with the memo below. Payments from other accounts are returned.`,
    noCold: (code: string) => `${code}: set a cold account first. Payments from other accounts are returned.`,
    existing: (code: string) =>
      `${code}: buy it or take it from your own account, and send it to the distribution account with the memo below. It is available within seconds.`,
    issuer: (code: string) => `Issuer of ${code}`,
    account: 'Distribution account',
    memo: 'Memo (text)',
  },
  settings: 'Settings',
  ownersOnly: 'Only owners can change them.',
  change: 'Change settings',
  save: 'Save settings',
  failed: 'The settings were not changed',
  none: 'None',
  history: 'Earlier settings',
  columns: { at: 'Changed', by: 'Changed by' },
  low: {
    label: 'Low threshold',
    hint: 'You are notified when the distribution account holds less than this.',
  },
  xlmLow: { label: 'XLM threshold', hint: 'You are notified when less XLM than this can be spent.' },
  ceiling: {
    label: 'Ceiling',
    hint: 'Available liquidity above this is sent to the cold account, at most once an hour.',
    tooLow: 'Enter more than the low threshold.',
    missing: 'Enter the ceiling. Only liquidity above it is sent to the cold account.',
  },
  coldAccount: {
    label: 'Cold account',
    hint: (code: string) =>
      `An account of your own with a trustline for ${code}. Keep its key away from these servers.`,
    invalid: 'Enter an account that begins with G.',
  },
})
