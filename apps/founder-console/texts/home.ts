export const home = {
  title: 'Raise a Stellar anchor',
  documentTitle: 'Raise a Stellar anchor',
  lead: 'Tell us about your company and your payment rails. Once approved, one click brings up your asset, your domain and the servers that move money between them.',
  apply: 'Apply for an anchor',
  redeem: 'I have an invitation',
  stagesTitle: 'Seven stages, in your sight',
  stages: {
    'Generating Stellar keys': 'Your own signing, issuing and distribution keys, sealed.',
    'Funding accounts & issuing asset on Stellar': 'Accounts, trustline and your asset on the ledger.',
    'Generating configuration files': 'Your stellar.toml and the settings of your servers.',
    'Setting up databases': 'A database of your own, with its own role.',
    'Spawning containers': 'The anchor-protocol server and the business server.',
    'Waiting for stack to be healthy': 'A real discovery and login at your domain must succeed.',
    completed: 'Listed for routing: wallets find you.',
  },
  stepsTitle: 'How it goes',
  steps: [
    { title: 'Apply', detail: 'About five minutes. The draft stays on your device until you send it.' },
    {
      title: 'Be approved',
      detail: 'A person reads it. You get a mail with an invitation, valid for seven days.',
    },
    { title: 'Choose your subdomain', detail: 'Redeem the invitation and watch the seven stages run.' },
    {
      title: 'Take customers',
      detail: 'Wallets log in at your domain; customers verified once are verified for you too.',
    },
  ],
} as const
