export const signIn = {
  title: 'Sign in',
  lead: 'We mail you a code. There is no password to remember.',
  expired: 'Your session has ended. Sign in to go on where you were.',
  email: {
    label: 'Email',
    hint: 'The address your invitation came to.',
    missing: 'Enter your email address',
    wrong: 'Enter an email address such as name@company.example',
  },
  send: 'Mail me a code',
  sentTitle: 'Enter the code',
  sentLead: (email: string) =>
    `If ${email} can receive mail, a code of six digits is on its way. It is good for five minutes.`,
  code: {
    label: 'Code',
    hint: 'Six digits, such as 482 913.',
    missing: 'Enter the code from the mail',
    wrong: 'A code has six digits',
    refused: 'This code is not right, was used before or has expired. After five tries you need a new one.',
  },
  verify: 'Sign in',
  resend: 'Mail a new code',
  resendIn: (seconds: number) => `A new code can be mailed in ${seconds} s`,
  resent: 'A new code is on its way. Only the newest one is good.',
  changeEmail: 'Use another address',
  failed: 'That did not work',
} as const
