import type { SignInStep } from '@windlass/contracts/realm.ts'
import type { ComponentType } from 'react'
import { catalogue } from '../catalogue.ts'
import type { SignInStepProps } from './second-factor-step.tsx'

/** The words of the sign-in by email code that differ between consoles. */
interface CodeSignInTexts {
  lead: string
  emailHint: string
  emailWrong: string
  sentLead(email: string): string
}

export interface CodeSignInProps {
  texts: CodeSignInTexts
  product: string
  requestCode(email: string): Promise<unknown>
  /** Fails with `code-not-accepted` for a wrong code. `awaiting`: what the sign-in still waits for. */
  verifyCode(email: string, code: string): Promise<{ awaiting?: SignInStep }>
  onSignedIn(): Promise<void>
  /** The last step, in realms whose people have second factors; loaded when it is needed. */
  secondFactorStep?: ComponentType<SignInStepProps>
}

export const signIn = catalogue('codeSignIn', {
  title: 'Sign in',
  expired: 'Your session has expired. Sign in to continue.',
  email: { label: 'Email', missing: 'Enter your email address' },
  send: 'Send code',
  sentTitle: 'Enter the code',
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
})
