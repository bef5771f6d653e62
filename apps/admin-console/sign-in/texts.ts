import { catalogue } from '@windlass/ui/catalogue.ts'

export const signIn = catalogue('signIn', {
  title: 'Sign in',
  lead: 'For administrators of this platform.',
  expired: 'Your session has expired. Sign in to continue.',
  username: { label: 'User name or email', missing: 'Enter your user name or email' },
  password: { label: 'Password', missing: 'Enter your password' },
  send: 'Sign in',
  refused: {
    title: 'Sign-in failed',
    detail:
      'The user name or password is wrong. If you forgot your password, ask an owner of this platform for a new invitation.',
  },
})
