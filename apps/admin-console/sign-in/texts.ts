import type { Catalogue } from '@windlass/ui/texts.ts'

export const signIn = {
  title: 'Sign in',
  lead: 'For administrators of this platform.',
  expired: 'Your session has expired. Sign in to continue.',
  username: { label: 'User name or email', missing: 'Enter your user name or email' },
  password: { label: 'Password', missing: 'Enter your password' },
  send: 'Sign in',
  refused: {
    title: 'Sign-in failed',
    detail: 'The user name or password is wrong. Both are in the settings of this platform.',
  },
} as const satisfies Catalogue
