import { catalogue } from '@windlass/ui/catalogue.ts'

export const home = catalogue('home', {
  title: 'Launch a Stellar anchor',
  lead: 'Tell us about your company and your payment rails. Once you are approved, one click creates your asset, your domain and the servers that move money between them.',
  apply: 'Apply for an anchor',
  redeem: 'Redeem an invitation',
  stagesTitle: 'Watch every step',
  stages: {
    'Generating Stellar keys': 'Signing, issuing and distribution keys, encrypted at rest.',
    'Funding accounts & issuing asset on Stellar': 'Accounts, a trustline and your asset on the ledger.',
    'Generating configuration files': 'Your stellar.toml and the settings of your servers.',
    'Setting up databases': 'A separate database with its own role.',
    'Spawning containers': 'The SEP server and the business server.',
    'Waiting for stack to be healthy': 'Discovery and sign-in at your domain must succeed.',
    completed: 'Listed for routing, so wallets can find you.',
  },
  stepsTitle: 'How it works',
  steps: [
    { title: 'Apply', detail: 'Takes about five minutes. The draft stays on your device until you send it.' },
    {
      title: 'Get approved',
      detail: 'An administrator reviews it. You get an invitation by email, valid for seven days.',
    },
    { title: 'Choose a subdomain', detail: 'Redeem the invitation and watch every stage run.' },
    {
      title: 'Serve customers',
      detail: 'Wallets sign in at your domain. A customer verified once is verified at every anchor.',
    },
  ],
})
