export const shell = {
  product: 'Windlass',
  apply: 'Apply',
  redeem: 'Redeem an invitation',
  signIn: 'Sign in',
  workspaces: 'Workspaces',
  navigation: 'Main',
  footer: 'Windlass raises Stellar anchors and lets people find and use them.',
  loadingPage: 'Loading the page',
  notFound: {
    title: 'There is no such page',
    detail: 'The address may be mistyped, or the page has moved.',
    home: 'Go to the start page',
  },
  broken: {
    title: 'This page could not be shown',
    detail: 'Something in it failed. Loading it again often helps; nothing you sent is lost.',
    reload: 'Load the page again',
  },
  newVersion: {
    title: 'Windlass was updated',
    detail: 'This page is from before the update. Load it again to go on; your draft is kept.',
  },
} as const
