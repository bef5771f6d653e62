import { catalogue } from '@windlass/ui/catalogue.ts'

export const shell = catalogue('shell', {
  product: 'Windlass',
  anchors: 'Anchors',
  apply: 'Apply',
  redeem: 'Redeem',
  workspaces: 'Workspaces',
  account: 'Account',
  footer: 'Windlass runs Stellar anchors and routes payments to them.',
})
