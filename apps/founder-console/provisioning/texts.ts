import { catalogue } from '@windlass/ui/catalogue.ts'

export const provisioning = catalogue('provisioning', {
  title: {
    pending: 'Your anchor is queued',
    running: 'Setting up your anchor',
    failed: 'Setup failed',
    completed: 'Your anchor is live',
  },
  lead: {
    pending: 'Setup starts in a moment. You can close this page and return to its address later.',
    running:
      'This usually takes less than a minute. You can close this page and return to its address later.',
    failed: 'Completed stages are kept. Keys and accounts are never created twice.',
    completed: 'Wallets can discover it and sign in. It is listed for routing.',
  },
  jobId: 'Job ID',
  live: 'Live',
  polling: 'Updating every 2 s',
  reconnecting: 'Reconnecting',
  stages: 'Stages',
  total: (duration: string) => `Set up in ${duration}`,
  stageFailed: (position: number, name: string) => `Stage ${position} failed: ${name}`,
  stalled: (ago: string) => `No progress since ${ago}`,
  stalledDetail: 'The worker may have stopped. Retry to continue from the current stage.',
  notRetryable: 'A retry cannot fix this. Contact support with the job ID.',
  errorCode: 'Error code',
  retry: (position: number) => `Retry from stage ${position}`,
  retryRefused: 'Retry failed',
  unknown: {
    title: 'Job not found',
    detail: 'The address may be incomplete. Open it again from where you copied it.',
  },
  result: {
    title: 'Your anchor',
    domain: 'Home domain',
    asset: 'Asset',
    issuer: 'Issuing account',
    distribution: 'Distribution account',
    signingKey: 'Signing key (SEP-10)',
    onLedger: 'View on the ledger',
    links: 'Endpoints',
  },
  next: {
    workspace: 'Open workspace',
    detail: 'Point a wallet at the home domain. It reads stellar.toml and signs in with SEP-10.',
  },
})
