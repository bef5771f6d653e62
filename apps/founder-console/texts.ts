import type { Catalogue } from '@windlass/ui/texts.ts'

export const shell = {
  product: 'Windlass',
  apply: 'Apply',
  redeem: 'Redeem',
  workspaces: 'Workspaces',
  navigation: 'Main',
  footer: 'Windlass runs Stellar anchors and routes payments to them.',
} as const satisfies Catalogue
