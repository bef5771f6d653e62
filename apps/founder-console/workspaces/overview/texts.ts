import { catalogue } from '@windlass/ui/catalogue.ts'

export const overview = catalogue('overview', {
  suspended: 'This anchor is suspended',
  removed: 'This anchor was removed',
  ledgerReset: {
    title: (when: string) => `The ledger was reset. Your anchor was restored on ${when}.`,
    detail:
      'Its accounts were funded and its asset was issued again with the same keys. Balances that others held before the reset are lost.',
  },
  watch: 'View setup',
  alerts: {
    title: 'Alerts',
    since: (when: string) => `Since ${when}.`,
    all: (count: number) => `See all ${count} alerts`,
  },
  business: {
    title: 'Business',
    asset: 'Asset',
    period: 'Period',
    days: (days: number) => `${days} days`,
    deposits: 'Deposits',
    withdrawals: 'Withdrawals',
    fees: 'Fees earned',
    pending: 'Pending now',
    transactions: (count: number) => (count === 1 ? '1 transaction' : `${count} transactions`),
    volume: 'Volume by day',
    noVolume: 'No deposit or withdrawal in this period.',
    funnel: 'How far transactions get',
    steps: {
      started: 'Started',
      agreed: 'Amount agreed',
      paid: 'Payment received',
      completed: 'Completed',
    },
    completion: (median: string, p95: string) =>
      `From payment to completion: half within ${median}, 95% within ${p95}.`,
  },
  latency: 'Response time',
  latencyNow: (ms: number) => `${ms} ms in the last minute`,
  milliseconds: (ms: number) => `${ms} ms`,
  latencySeries: 'Milliseconds',
  runway: {
    unknown: 'How long it lasts is known after the first day.',
    unlimited: 'It is not decreasing.',
    days: (days: number) =>
      days < 1
        ? 'It lasts less than a day.'
        : `It lasts about ${Math.floor(days)} ${days < 2 ? 'day' : 'days'}.`,
  },
  anchor: 'Anchor',
  homeDomain: 'Home domain',
  discovery: 'stellar.toml',
  asset: 'Asset',
  assetOf: (code: string, name: string, anchoredTo: string) => `${code} – ${name}, pegged to ${anchoredTo}`,
  issued: 'Issued',
  issuer: 'Issuing account',
  distribution: 'Distribution account',
  signingKey: 'Signing key (SEP-10)',
  terms: 'Rails and fees',
  rails: 'Rails',
  regions: 'Countries served',
  settlement: 'Settlement time',
  settlements: { instant: 'Instant', under_60_minutes: 'Within 60 minutes' } as Record<string, string>,
  fee: 'Fee',
  feeOf: (fixed: string, code: string, percentage: string) => `${fixed} ${code} + ${percentage}`,
  limits: 'Limits',
  limitsOf: (min: string, max: string, code: string) => `${min} to ${max} ${code}`,
  endpoints: 'Endpoints',
  protocols: {
    webAuth: 'SEP-10 authentication',
    webAuthForContracts: 'SEP-45 authentication of contract accounts, where offered',
    transferServer: 'SEP-6 transfers',
    transferServerSep24: 'SEP-24 interactive transfers',
    directPaymentServer: 'SEP-31 direct payments',
    kycServer: 'SEP-12 customer data',
    quoteServer: 'SEP-38 quotes',
    federationServer: 'SEP-2 federation',
  },
  id: 'Anchor ID',
  activeSince: 'Active since',
})

export const setup = catalogue('setup', {
  title: 'Set up your anchor',
  progress: (done: number, of: number) => `${done} of ${of} done`,
  done: 'done',
  running: 'Running…',
  result: 'See each request',
  depositFailed: (why: string) => `The last one failed. ${why}`,
  tasks: {
    topUp: {
      title: 'Fund the treasury',
      detail: 'Your anchor pays deposits from it. Until you send your asset there, deposits are refused.',
      action: 'See how',
    },
    deposit: {
      title: 'Run a test deposit',
      detail: 'A test wallet deposits at your anchor, from discovery to the asset in the wallet.',
      action: 'Run test deposit',
    },
    compatibility: {
      title: 'Pass the wallet compatibility check',
      detail: 'Wallets can find your anchor and log in.',
      action: 'See results',
    },
    secondFactor: {
      title: 'Add a passkey or authenticator app',
      detail: 'Nobody signs in as you with your email alone.',
      action: 'Add',
    },
    treasury: {
      title: 'Set treasury thresholds',
      detail: 'You get an email before the treasury runs out.',
      action: 'Set',
    },
    team: {
      title: 'Add a team member',
      detail: 'Someone can act while you are away.',
      action: 'Add',
    },
    key: {
      title: 'Create an API key',
      detail: 'Your own systems can read transactions and customers.',
      action: 'Create',
    },
  },
})

export const liquidity = catalogue('liquidity', {
  title: 'Available liquidity',
  of: (balance: string, reserved: string, issued: string | null) =>
    `Balance ${balance}. Reserved for open quotes and deposits: ${reserved}.${issued === null ? '' : ` Issued: ${issued}.`}`,
  xlm: (spendable: string) => `${spendable} XLM for fees and reserves.`,
  fee: (last: string | null, max: string) =>
    last === null ? `At most ${max} XLM for a payment.` : `Last network fee ${last} XLM, at most ${max} XLM.`,
  asleep: (when: string) =>
    `Asleep since ${when}. Nobody uses it, so its servers are stopped. The next request, payment or due work starts them.`,
  waiting: (payments: number) => (payments === 1 ? '1 payment waits' : `${payments} payments wait`),
})
