import type { Catalogue } from '@windlass/ui/texts.ts'

export const signIn = {
  title: 'Sign in',
  lead: 'We send a code to your email address. New customers get an account.',
  expired: 'Your session has expired. Sign in to continue.',
  email: {
    label: 'Email',
    hint: 'The address you use with your wallet’s anchors.',
    missing: 'Enter your email address',
    wrong: 'Enter an email address such as name@mail.example',
  },
  send: 'Send code',
  sentTitle: 'Enter the code',
  sentLead: (email: string) => `We sent a six-digit code to ${email}. It is valid for five minutes.`,
  code: {
    label: 'Code',
    hint: 'Six digits, such as 482 913.',
    missing: 'Enter the code from the email',
    wrong: 'The code has six digits',
    refused: 'The code is wrong, already used or expired. After five attempts, request a new one.',
  },
  verify: 'Sign in',
  resend: 'Send a new code',
  resendIn: (seconds: number) => `You can request a new code in ${seconds} s`,
  resent: 'We sent a new code. Earlier codes no longer work.',
  changeEmail: 'Use another address',
  failed: 'Sign-in failed',
} as const satisfies Catalogue
