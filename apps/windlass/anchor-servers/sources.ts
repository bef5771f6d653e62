/** The sources of an anchor's servers, relative to the checkout. */
export const SOURCES = [
  'apps/sep-server',
  'apps/business-server',
  'packages/client',
  'packages/contracts',
  'packages/kyc-providers',
  'packages/money',
  'packages/ramp',
  'packages/service',
  'packages/stellar',
  'packages/wallet',
  'docs/api',
  'docs/problems',
  'apps/windlass/anchor-servers',
  'package.json',
  'package-lock.json',
]
