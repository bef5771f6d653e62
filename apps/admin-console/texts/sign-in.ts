export const signIn = {
  title: 'Sign in',
  lead: 'For the people who run this platform.',
  expired: 'Your session has ended. Sign in to go on where you were.',
  username: { label: 'User name or email', missing: 'Enter your user name or email' },
  password: { label: 'Password', missing: 'Enter your password' },
  send: 'Sign in',
  refused: {
    title: 'That did not work',
    detail: 'The user name or the password is not right. Both are in the settings of this platform.',
  },
} as const
