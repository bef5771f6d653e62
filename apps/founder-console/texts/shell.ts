export const shell = {
  product: 'Windlass',
  apply: 'Apply',
  redeem: 'Redeem',
  workspaces: 'Workspaces',
  navigation: 'Main',
  footer: 'Windlass raises Stellar anchors and lets people find and use them.',
  notFound: {
    title: 'There is no such page',
    detail: 'The address may be mistyped, or the page has moved.',
    home: 'Go to the start page',
  },
} as const
