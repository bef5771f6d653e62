/** All that an anchor's servers are made from, within the checkout. */
export const SOURCES = [
  'apps/sep-server',
  'apps/business-server',
  'packages/client',
  'packages/contracts',
  'packages/kyc-providers',
  'packages/money',
  'packages/service',
  'packages/stellar',
  'docs/api',
  'docs/problems',
  'apps/windlass/anchor-servers',
  'package.json',
  'package-lock.json',
]
