import { catalogue } from '@windlass/ui/catalogue.ts'

export const shell = catalogue('shell', {
  product: 'Windlass',
  account: 'Identity',
  transactions: 'Transactions',
  wallets: 'Wallets',
  signOut: 'Sign out',
  footer: 'One identity check for every Windlass anchor.',
})

export const home = catalogue('home', {
  title: 'One identity check for every anchor',
  lead: 'Verify your identity once. Every anchor on Windlass accepts it, so your next deposit or withdrawal starts immediately.',
  start: 'Sign in',
  points: [
    { title: 'Verify once', detail: 'An identity provider checks your document. It takes a few minutes.' },
    {
      title: 'Link your wallets',
      detail: 'Prove that a Stellar account is yours, and anchors recognize it.',
    },
    { title: 'Check your status', detail: 'See the status of your check and your wallets here at any time.' },
  ],
})

export const signIn = catalogue('signIn', {
  lead: 'We send a code to your email address. New customers get an account.',
  emailHint: 'The address you use with your wallet’s anchors.',
  emailWrong: 'Enter an email address such as name@mail.example',
  sentLead: (email: string) => `We sent a six-digit code to ${email}. It is valid for five minutes.`,
})
