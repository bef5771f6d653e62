import type { SignInStep } from '@windlass/contracts/realm.ts'
import type { ComponentType } from 'react'
import { catalogue, text } from '../catalogue.ts'
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
  /** Another way to sign in, below the form. */
  otherWay?: { label: string; to: string }
  /** The last step, in realms whose people have second factors; loaded when it is needed. */
  secondFactorStep?: ComponentType<SignInStepProps>
}

export const signIn = catalogue({
  title: text('Sign in', 'Iniciar sesión'),
  expired: text(
    'Your session has expired. Sign in to continue.',
    'Su sesión ha caducado. Inicie sesión para continuar.',
  ),
  email: {
    label: text('Email', 'Correo electrónico'),
    missing: text('Enter your email address', 'Escriba su correo electrónico'),
  },
  send: text('Send code', 'Enviar el código'),
  sentTitle: text('Enter the code', 'Escriba el código'),
  code: {
    label: text('Code', 'Código'),
    hint: text('Six digits, such as 482 913.', 'Seis dígitos, como 482 913.'),
    missing: text('Enter the code from the email', 'Escriba el código del correo'),
    wrong: text('The code has six digits', 'El código tiene seis dígitos'),
    refused: text(
      'The code is wrong, already used or expired. After five attempts, request a new one.',
      'El código es incorrecto, ya se usó o ha caducado. Tras cinco intentos, pida uno nuevo.',
    ),
  },
  verify: text('Sign in', 'Iniciar sesión'),
  resend: text('Send a new code', 'Enviar un código nuevo'),
  resendIn: text(
    (seconds: number) => `You can request a new code in ${seconds} s`,
    seconds => `Podrá pedir un código nuevo en ${seconds} s`,
  ),
  resent: text(
    'We sent a new code. Earlier codes no longer work.',
    'Enviamos un código nuevo. Los códigos anteriores ya no sirven.',
  ),
  changeEmail: text('Use another address', 'Usar otra dirección'),
  failed: text('Sign-in failed', 'No se pudo iniciar sesión'),
})
